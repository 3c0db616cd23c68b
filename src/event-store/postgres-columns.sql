-- The layout of the log, and the one function that writes it, as they are since
-- docs/decisions/0016-a-lean-log.md; replaces both of postgres.sql and postgres-history.sql.
-- A stream is known by its wallet's uuid. The hash is kept as bytes wherever `metadata` is exactly
-- {"hash":"<64 digits>"}, and is given back as that text; any other metadata stays a text.
-- What was written stays what it was: names, bytes and hashes that anybody is shown do not change.

-- Whoever of the release before still appends waits here, and finds no function afterwards.
lock table ledger.events in access exclusive mode;

do $$
declare
  other text;
begin
  select stream into other from ledger.events
  where left(stream, 7) <> 'wallet-' or length(stream) <> 43
    or translate(substr(stream, 8), '0123456789abcdef', '') <> '----'
  limit 1;
  if other is not null then
    raise exception 'stream % is no wallet''s: the log cannot be converted', other;
  end if;
end
$$;

create table ledger.events_of_wallets (
  wallet_id uuid not null,
  revision bigint not null check (revision >= 0),
  position bigint not null check (position > 0),
  id uuid not null,
  type text not null,
  data text not null,
  hash bytea check (octet_length(hash) = 32),
  metadata text,
  check ((hash is null) <> (metadata is null))
);

-- By comparing letters: a regular expression would take longer than all of the rest.
insert into ledger.events_of_wallets
select substr(stream, 8)::uuid, revision, position, id, type, data,
       case when has_hash then decode(substr(metadata, 10, 64), 'hex') end,
       case when not has_hash then metadata end
from (
  select *, length(metadata) = 75 and left(metadata, 9) = '{"hash":"' and right(metadata, 2) = '"}'
    and translate(substr(metadata, 10, 64), '0123456789abcdef', '') = '' as has_hash
  from ledger.events
) old
order by position;

drop function ledger.append(json);
drop table ledger.events;
alter table ledger.events_of_wallets rename to events;
alter table ledger.events
  add constraint events_pkey primary key (wallet_id, revision),
  add constraint events_position_key unique (position);

create trigger events_only_grow
before update or delete or truncate on ledger.events
for each statement execute function ledger.refuse_change();

-- Appends many batches, at most one a wallet, in one statement of its own (autocommit).
-- A batch is what must stand at the end of its wallet's stream: `expected`, its revision (-1: no
-- event yet), and `follows`, the id of the event there (null: none). The events of all batches
-- follow as columns, batch after batch.
-- `is_known` says that nobody but this very connection can have moved that head, as long as the
-- log still ends with `known_position` and `known_id`, which it wrote itself: such a head is not
-- looked up again. Where the log ends otherwise, every head is.
-- The answer is the position and the id that the log ended with before, and one letter a batch, in
-- order: w = written now, a = already there (the same ids at the same revisions), c = conflict,
-- d = diverged (another event, or none, stands at `expected`). It is one short text and no rows on
-- purpose: rows go out before the commit, so a client that stopped reading would hold the lock.
--
-- The settings belong to the plans: on a fresh database, without statistics, PostgreSQL would plan
-- for a small table and keep that plan. `limit 1` in a lateral look-up keeps it a look-up by index.
create function ledger.append(
  known_position bigint, known_id uuid,
  batches uuid[], expected bigint[], follows uuid[], is_known boolean[],
  wallets uuid[], revisions bigint[], ids uuid[], types text[], texts text[],
  hashes text[], metadatas text[]
) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
set work_mem = '32MB'
as $$
declare
  last_position bigint;
  last_id uuid;
  is_own_end boolean;
  written bigint;
  verdicts text;
begin
  -- In any other isolation the statements below would look at the log of before the wait.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'ledger.append needs the isolation level read committed'
      using errcode = 'invalid_transaction_state';
  end if;

  -- What is acknowledged is on disk, whatever the session, role or database was set to.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- One writer at a time, until its commit. A statement of its own: the next ones take their
  -- snapshots after the wait, so they see what the writer before has committed.
  perform pg_advisory_xact_lock(7308604758453055860);

  select position, id into last_position, last_id
  from ledger.events order by position desc limit 1;
  last_position := coalesce(last_position, 0);
  is_own_end := coalesce(last_position = known_position and last_id = known_id, false);

  -- Nearly always every batch stands at the head of its stream: then all of them are written as
  -- they came, and nothing is to be judged.
  insert into ledger.events (wallet_id, revision, position, id, type, data, hash, metadata)
  select event.wallet_id, event.revision, last_position + event.number,
         event.id, event.type, event.data, decode(event.hash, 'hex'), event.metadata
  from unnest(wallets, revisions, ids, types, texts, hashes, metadatas)
    with ordinality as event (wallet_id, revision, id, type, data, hash, metadata, number)
  where not exists (
    select from unnest(batches, expected, follows, is_known)
      as batch (wallet_id, expected, follows, is_known)
    left join lateral (
      select stored.revision, stored.id from ledger.events stored
      where stored.wallet_id = batch.wallet_id
      order by stored.revision desc limit 1
    ) head on true
    where not (is_own_end and batch.is_known)
      and (coalesce(head.revision, -1) <> batch.expected
        or head.id is distinct from batch.follows)
  );
  get diagnostics written = row_count;
  if written > 0 then
    return concat_ws(' ', last_position, last_id, repeat('w', cardinality(batches)));
  end if;

  with event as materialized (
    select * from unnest(wallets, revisions, ids, types, texts, hashes, metadatas)
      with ordinality as event (wallet_id, revision, id, type, data, hash, metadata, number)
  ),
  batch as materialized (
    select listed.*, coalesce(head.revision, -1) as head, head.id as head_id
    from unnest(batches, expected, follows)
      with ordinality as listed (wallet_id, expected, follows, number)
    left join lateral (
      select stored.revision, stored.id from ledger.events stored
      where stored.wallet_id = listed.wallet_id
      order by stored.revision desc limit 1
    ) head on true
  ),
  already as materialized (
    select event.wallet_id
    from batch join event using (wallet_id)
    left join lateral (
      select stored.id from ledger.events stored
      where stored.wallet_id = event.wallet_id and stored.revision = event.revision
      limit 1
    ) there on true
    where batch.head > batch.expected
    group by event.wallet_id
    having bool_and(there.id is not distinct from event.id)
  ),
  -- Whose history this log does not have. At the head the id is known already; below it, after a
  -- lost race, the event is looked up; above it there is none.
  diverged as materialized (
    select batch.wallet_id
    from batch
    left join lateral (
      select stored.id from ledger.events stored
      where stored.wallet_id = batch.wallet_id and stored.revision = batch.expected
        and batch.head > batch.expected
      limit 1
    ) below on true
    where batch.follows is not null
      and batch.follows is distinct from
          case when batch.head = batch.expected then batch.head_id else below.id end
  ),
  -- Filtered by a boolean below, not by the letter: the planner then guesses half of the batches
  -- and hashes them; a guess of one is as cheap with a loop over all events for each batch.
  judged as materialized (
    select batch.number, batch.wallet_id,
           batch.head = batch.expected and diverged.wallet_id is null as wins,
           case
             when diverged.wallet_id is not null then 'd'
             when batch.head = batch.expected then 'w'
             when already.wallet_id is not null then 'a'
             else 'c'
           end as verdict
    from batch left join already using (wallet_id) left join diverged using (wallet_id)
  ),
  inserted as (
    insert into ledger.events (wallet_id, revision, position, id, type, data, hash, metadata)
    select event.wallet_id, event.revision,
           last_position + row_number() over (order by event.number),
           event.id, event.type, event.data, decode(event.hash, 'hex'), event.metadata
    from event join judged using (wallet_id)
    where judged.wins
  )
  select string_agg(verdict, '' order by number) into verdicts from judged;

  return concat_ws(' ', last_position, last_id, verdicts);
end
$$;
