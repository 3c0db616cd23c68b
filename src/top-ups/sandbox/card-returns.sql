-- Refunds that were asked for by the API: once a key, and with what the asker wrote beside them.
alter table sandbox.refunds
  add column idempotency_key text unique,
  add column metadata jsonb not null default '{}';
