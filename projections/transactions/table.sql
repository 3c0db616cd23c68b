-- One row an outcome of a reference, declined ones too. The description stays sealed: destroying the
-- person's key erases it here and in the events at once. A second outcome for one reference would
-- break the primary key and stop the projector: the tripwire of the whole ledger.
create table transactions (
  entry_id       uuid primary key,
  wallet_id      uuid not null,
  revision       bigint not null,
  type           text not null,
  code           text,
  amount_minor   bigint not null,
  balance_minor  bigint not null,
  reference_type text not null,
  reference_id   text not null,
  issuer         text not null,
  description    text,
  refund_of      uuid,
  refunded_minor bigint not null default 0,
  time           timestamptz(3) not null,
  -- What open holds set aside after it; until when a hold lasts; the hold that was captured or released.
  held_minor     bigint,
  expires_at     timestamptz(3),
  hold_of        uuid
);
create unique index transactions_by_wallet on transactions (wallet_id, revision);
-- For the overview of the admin area: the entries of a day without reading all. Times ascend with the
-- log, so it grows at its right edge only (measured: 1 to 2 µs an entry).
create index transactions_by_time on transactions (time);
-- For audits, which add up what was refunded of an entry. Only refunds are in it, so a debit pays nothing.
create index transactions_by_refunded on transactions (refund_of, revision) where refund_of is not null;
