-- What the checks of the whole ledger found, newest last; `divergence` is null when all agreed.
create schema if not exists audit;
create table audit.integrity_checks (
  check_id   bigint generated always as identity primary key,
  started_at timestamptz(3) not null,
  ended_at   timestamptz(3) not null,
  events     bigint not null,
  wallets    bigint not null,
  position   numeric(20) not null,
  divergence jsonb
);
