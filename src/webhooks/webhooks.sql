-- Webhooks: where client apps want to be told of what, what they are to be told, and what came of
-- it. Nobody but src/webhooks asks these tables.
create schema webhooks;

-- `from_position`: the end of the log when it was made; what lies before is not for it.
-- `dead_since`: deliveries of it die; null again with the next one that arrives.
create table webhooks.endpoints (
  endpoint_id   uuid primary key,
  client_id     text not null references identity.client_apps,
  url           text not null,
  types         text[] not null,
  from_position numeric(20) not null,
  created_at    timestamptz(3) not null,
  dead_since    timestamptz(3)
);
create index endpoints_of_app on webhooks.endpoints (client_id);

-- Signing secrets, AES-256-GCM under a key that is not in this database; `key_id` tells which.
create table webhooks.secrets (
  secret_id   uuid primary key,
  endpoint_id uuid not null references webhooks.endpoints on delete cascade,
  key_id      text not null,
  sealed      bytea not null,
  created_at  timestamptz(3) not null
);
create index secrets_of_endpoint on webhooks.secrets (endpoint_id);

-- At which balances a client app wants to be told; an app without a row has the standard one.
create table webhooks.low_balances (
  client_id        text primary key references identity.client_apps,
  thresholds_minor bigint[] not null
);

-- How far the log has become deliveries: in which store, at which position, which event is there.
create table webhooks.checkpoint (
  only_row boolean primary key default true check (only_row),
  marker   text,
  position numeric(20) not null default 0,
  event_id uuid
);
insert into webhooks.checkpoint default values;

-- What is no event of the log, written in the transaction that makes it. `client_id` null: for every
-- app that is linked. `after_position`: the log's end when it was first seen; what stands in the log
-- up to there goes before it.
create table webhooks.outbox (
  outbox_id       bigint generated always as identity primary key,
  source_id       uuid not null default gen_random_uuid(),
  type            text not null,
  client_id       text,
  service_user_id text not null,
  wallet_id       uuid not null,
  linked_since    timestamptz(3),
  details         jsonb not null default '{}',
  at              timestamptz(3) not null,
  after_position  numeric(20),
  fed_at          timestamptz(3)
);
create index outbox_unfed on webhooks.outbox (outbox_id) where fed_at is null;
create index outbox_by_time on webhooks.outbox (at);
create index outbox_of_wallet on webhooks.outbox (wallet_id);

-- One row a webhook: its number is its place in the line of its endpoint and wallet.
create table webhooks.deliveries (
  delivery_id   bigint generated always as identity primary key,
  webhook_id    uuid not null unique,
  endpoint_id   uuid not null references webhooks.endpoints on delete cascade,
  wallet_id     uuid not null,
  type          text not null,
  body          text not null,
  state         text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  created_at    timestamptz(3) not null,
  give_up_at    timestamptz(3) not null,
  tries         integer not null default 0,
  last_try_at   timestamptz(3),
  answer_status integer,
  answer_body   text,
  fault         text
);
create index deliveries_waiting on webhooks.deliveries (endpoint_id, wallet_id, delivery_id)
  where state = 'waiting';
create index deliveries_waiting_by_age on webhooks.deliveries (created_at) where state = 'waiting';
create index deliveries_of_endpoint on webhooks.deliveries (endpoint_id, delivery_id);
create index deliveries_of_wallet on webhooks.deliveries (wallet_id);
create index deliveries_by_age on webhooks.deliveries (created_at);

-- The lines that have something to deliver. `next_at` is when to try, and while somebody delivers
-- (`lease`) when others may take it over. Whoever adds a delivery locks its line, and whoever ends
-- a line locks it before it looks for what is left: so none is left without its line.
create table webhooks.lines (
  endpoint_id uuid not null references webhooks.endpoints on delete cascade,
  wallet_id   uuid not null,
  next_at     timestamptz(3) not null,
  failures    integer not null default 0,
  lease       uuid,
  primary key (endpoint_id, wallet_id)
);
create index lines_by_time on webhooks.lines (next_at);

-- Links are noted by their table itself: no statement, also not one of an operator or of a process
-- of the release before, is forgotten. An app without an endpoint leaves nothing behind.
create function webhooks.note_new_links() returns trigger language plpgsql as $$
begin
  insert into webhooks.outbox (type, client_id, service_user_id, wallet_id, at)
  select 'link.created', l.client_id, l.service_user_id, u.wallet_id, l.created_at
  from changed l join identity.users u on u.service_user_id = l.service_user_id
  where exists (select from webhooks.endpoints e where e.client_id = l.client_id);
  return null;
end
$$;

create function webhooks.note_gone_links() returns trigger language plpgsql as $$
begin
  insert into webhooks.outbox (type, client_id, service_user_id, wallet_id, linked_since, at)
  select 'link.removed', l.client_id, l.service_user_id, u.wallet_id, l.created_at, now()
  from changed l join identity.users u on u.service_user_id = l.service_user_id
  where exists (select from webhooks.endpoints e where e.client_id = l.client_id);
  return null;
end
$$;

create trigger note_for_webhooks after insert on identity.links
  referencing new table as changed
  for each statement execute function webhooks.note_new_links();
create trigger note_removal_for_webhooks after delete on identity.links
  referencing old table as changed
  for each statement execute function webhooks.note_gone_links();

-- A payment that a bank refused; for the trigger of the table of top-ups.
create function webhooks.note_failed_top_up() returns trigger language plpgsql as $$
begin
  if exists (select from webhooks.endpoints) then
    insert into webhooks.outbox (type, service_user_id, wallet_id, details, at)
    values ('wallet.top_up_failed', new.service_user_id, new.wallet_id,
      jsonb_build_object('paymentIntentId', new.payment_intent_id, 'amountMinor', new.amount_minor),
      new.failed_at);
  end if;
  return null;
end
$$;

-- What was to be told of a person goes with their erasure, sent or not.
create function webhooks.forget_person() returns trigger language plpgsql as $$
begin
  delete from webhooks.lines where wallet_id = new.wallet_id;
  delete from webhooks.deliveries where wallet_id = new.wallet_id;
  delete from webhooks.outbox where wallet_id = new.wallet_id;
  return null;
end
$$;

create trigger forget_in_webhooks after update of erased_at on identity.users
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function webhooks.forget_person();
