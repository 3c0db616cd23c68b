-- Events that a process had acknowledged and that the event store has lost since: named by that
-- process, kept until a person has seen them. Without a type only the place is known. References as
-- the ledger had them; no text that a person's key opens.
create schema if not exists audit;
create table audit.lost_events (
  lost_id        bigint generated always as identity primary key,
  wallet_id      uuid not null,
  revision       bigint not null,
  event_id       uuid not null,
  type           text,
  time           timestamptz(3),
  entry_id       uuid,
  reference_type text,
  reference_id   text,
  amount_minor   bigint,
  noticed_at     timestamptz(3) not null,
  seen_at        timestamptz(3),
  seen_by        text,
  -- Two processes that had folded the same event name it once.
  unique (event_id)
);
create index lost_events_unseen on audit.lost_events (lost_id) where seen_at is null;
