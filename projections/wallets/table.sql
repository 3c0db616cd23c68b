-- One row a wallet: the state at `revision`, with the chain's hash there. Written by the projector only.
create table wallets (
  wallet_id     uuid primary key,
  revision      bigint not null,
  balance_minor bigint not null,
  is_active     boolean not null,
  status_reason text,
  hash          bytea not null,
  time          timestamptz(3) not null,
  -- The open holds, the next to expire first; null without one. Nullable, as is every column that a
  -- release added: the one before goes on writing its rows until it is replaced.
  holds         jsonb
);
-- For the sweeper of holds. The times are texts that sort as times do; only wallets with a hold are in it.
create index wallets_by_next_expiry on wallets ((holds -> 0 ->> 'expiresAt') collate "C", wallet_id)
  where holds is not null;
