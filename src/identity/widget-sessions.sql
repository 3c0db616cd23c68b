-- Widget sessions by the hash of their token. Ended ones stay 24 h, so that their page can say why.
create table identity.widget_sessions (
  token_hash      bytea primary key check (octet_length(token_hash) = 32),
  client_id       text not null references identity.client_apps,
  service_user_id text not null references identity.users,
  parent_origin   text,
  made_by         text not null check (made_by in ('backend', 'login')),
  expires_at      timestamptz(3) not null,
  ended_at        timestamptz(3)
);
create index widget_sessions_by_expiry on identity.widget_sessions (expires_at);
create index widget_sessions_of_user on identity.widget_sessions (service_user_id);
