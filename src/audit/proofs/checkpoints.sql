-- Signed checkpoints over the heads of all wallets, and the public keys they are signed with.
-- Texts and signatures are kept byte for byte; private keys are never here.
create schema if not exists audit;

create table audit.signing_keys (
  number integer primary key check (number > 0),
  key text not null,
  signature bytea not null
);

create table audit.checkpoints (
  number bigint primary key check (number > 0),
  checkpoint text not null,
  signature bytea not null
);

-- The leaves of the newest two checkpoints, so that inclusion can be proven; older ones are removed.
-- Without a foreign key: a million leaves would be a million look-ups.
create table audit.checkpoint_leaves (
  number bigint not null,
  wallet_id uuid not null,
  revision bigint not null,
  hash bytea not null,
  primary key (number, wallet_id)
);

create function audit.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '%.% only grows', tg_table_schema, tg_table_name
    using errcode = 'restrict_violation';
end
$$;

create trigger signing_keys_only_grow
before update or delete or truncate on audit.signing_keys
for each statement execute function audit.refuse_change();

create trigger checkpoints_only_grow
before update or delete or truncate on audit.checkpoints
for each statement execute function audit.refuse_change();

create trigger checkpoint_leaves_never_change
before update or truncate on audit.checkpoint_leaves
for each statement execute function audit.refuse_change();
