-- Client apps and the hashes of their live secrets: a revoked secret is a deleted row.
create table identity.client_apps (
  client_id              text primary key,
  name                   text not null,
  allowed_origins        text[] not null,
  allowed_iframe_parents text[] not null,
  scopes                 text[] not null,
  is_active              boolean not null default true,
  created_at             timestamptz(3) not null
);
create table identity.client_secrets (
  secret_id    uuid primary key,
  client_id    text not null references identity.client_apps,
  secret_hash  bytea not null unique check (octet_length(secret_hash) = 32),
  created_at   timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index client_secrets_of_app on identity.client_secrets (client_id);
