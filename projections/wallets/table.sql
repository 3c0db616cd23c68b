-- One row a wallet: the state at `revision`, with the chain's hash there. Written by the projector only.
create table wallets (
  wallet_id     uuid primary key,
  revision      bigint not null,
  balance_minor bigint not null,
  is_active     boolean not null,
  status_reason text,
  hash          bytea not null,
  time          timestamptz(3) not null
);
