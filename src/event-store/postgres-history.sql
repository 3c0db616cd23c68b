-- Replaces ledger.append of postgres.sql: an append proves that it continues the very history that
-- its writer has folded. A database may be exchanged for an older copy of itself under its writers,
-- and a revision alone does not tell one history from another.
--
-- Appends many batches, at most one a stream, in one statement of its own (autocommit).
-- `events` lists { stream, revision, id, type, data, metadata } batch after batch; the first event
-- of each batch also says `expected`, the revision its stream must stand at, and `follows`, the id
-- of the event there (null for a new stream, and from a release that did not name it yet: such a
-- process may still run beside a newer one, and is judged by the revision alone).
-- The answer has one letter a batch, in order: w = written now, a = already there (the same ids at
-- the same revisions), c = conflict, d = diverged (another event, or none, stands at `expected`).
-- It is one short text and no rows on purpose: rows go out before the commit, so a client that
-- stopped reading would hold the lock.
--
-- The settings belong to the plans: on a fresh database, without statistics, PostgreSQL would plan
-- for a small table and keep that plan. `limit 1` in a lateral look-up keeps it a look-up by index.
create or replace function ledger.append(events json) returns text
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

  select position into last_position from ledger.events order by position desc limit 1;

  with event as materialized (
    select number, stream collate "C" as stream, expected, follows, revision, id, type, data,
           metadata
    from rows from (
      json_to_recordset(events) as (
        stream text, expected bigint, follows uuid, revision bigint,
        id uuid, type text, data text, metadata text
      )
    ) with ordinality as listed
      (stream, expected, follows, revision, id, type, data, metadata, number)
  ),
  batch as materialized (
    select event.number, event.stream, event.expected, event.follows,
           coalesce(last.revision, -1) as head, last.id as head_id
    from event
    left join lateral (
      select stored.revision, stored.id from ledger.events stored
      where stored.stream = event.stream
      order by stored.revision desc limit 1
    ) last on true
    where event.expected is not null
  ),
  already as materialized (
    select event.stream
    from batch join event using (stream)
    left join lateral (
      select stored.id from ledger.events stored
      where stored.stream = event.stream and stored.revision = event.revision
      limit 1
    ) there on true
    where batch.head > batch.expected
    group by event.stream
    having bool_and(there.id is not distinct from event.id)
  ),
  -- Whose history this log does not have. At the head the id is known already; below it, after a
  -- lost race, the event is looked up; above it there is none.
  diverged as materialized (
    select batch.stream
    from batch
    left join lateral (
      select stored.id from ledger.events stored
      where stored.stream = batch.stream and stored.revision = batch.expected
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
    select batch.number, batch.stream,
           batch.head = batch.expected and diverged.stream is null as wins,
           case
             when diverged.stream is not null then 'd'
             when batch.head = batch.expected then 'w'
             when already.stream is not null then 'a'
             else 'c'
           end as verdict
    from batch left join already using (stream) left join diverged using (stream)
  ),
  inserted as (
    insert into ledger.events (stream, revision, position, id, type, data, metadata)
    select event.stream, event.revision,
           coalesce(last_position, 0) + row_number() over (order by event.number),
           event.id, event.type, event.data, event.metadata
    from event join judged using (stream)
    where judged.wins
  )
  select string_agg(verdict, '' order by number) into verdicts from judged;

  return verdicts;
end
$$;
