-- What a person logs in with. `email_key` is the email in lower case: the one that is compared.
-- Everything here, and the sealing key, is null once the person is erased.
alter table identity.users
  add column email         text,
  add column email_key     text unique,
  add column password_hash text,
  add column first_name    text,
  add column last_name     text,
  add column erased_at     timestamptz(3);
-- One-time links for a forgotten password; only the hash of the token is here.
create table identity.password_resets (
  token_hash      bytea primary key check (octet_length(token_hash) = 32),
  service_user_id text not null references identity.users,
  expires_at      timestamptz(3) not null
);
create index password_resets_by_expiry on identity.password_resets (expires_at);
create index password_resets_of_user on identity.password_resets (service_user_id);
