-- What a person's own account shows and changes. A login and what goes on from it share a `login_id`.
alter table identity.widget_sessions
  add column login_id     uuid not null default gen_random_uuid(),
  add column created_at   timestamptz(3),
  add column logged_in_at timestamptz(3),
  add column device       text;

-- When the person last showed that mail to this address reaches them; null: never.
alter table identity.users add column email_confirmed_at timestamptz(3);

-- Links that were removed: the app reads and debits no more, and may still give its debits back.
create table identity.former_links (
  service_user_id text not null references identity.users,
  client_id       text not null references identity.client_apps,
  removed_at      timestamptz(3) not null,
  primary key (service_user_id, client_id)
);

-- One-time links that confirm an email, the present one or the one it is to become; only the hash of
-- the token is here.
create table identity.email_proofs (
  token_hash      bytea primary key check (octet_length(token_hash) = 32),
  service_user_id text not null references identity.users,
  email           text not null,
  email_key       text not null,
  expires_at      timestamptz(3) not null
);
create index email_proofs_by_expiry on identity.email_proofs (expires_at);
create index email_proofs_of_user on identity.email_proofs (service_user_id);

-- Where a person has logged in from lately, as a hash of browser and network: what is not here is told
-- them by mail.
create table identity.known_logins (
  service_user_id text not null references identity.users,
  mark            bytea not null check (octet_length(mark) = 32),
  last_at         timestamptz(3) not null,
  primary key (service_user_id, mark)
);
create index known_logins_by_time on identity.known_logins (last_at);
