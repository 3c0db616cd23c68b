-- A person's account and wallet. `sealing_key` seals the texts of their entries: null once erased.
create schema identity;
create table identity.users (
  service_user_id text primary key,
  wallet_id       uuid not null unique,
  sealing_key     bytea,
  created_at      timestamptz(3) not null default now()
);
