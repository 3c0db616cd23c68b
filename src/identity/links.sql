-- A link: this client app may act on this user's wallet. A proof tells the app's backend, once, who
-- has just logged in; only its hash is here.
create table identity.links (
  service_user_id text not null references identity.users,
  client_id       text not null references identity.client_apps,
  created_at      timestamptz(3) not null,
  primary key (service_user_id, client_id)
);
create table identity.link_proofs (
  proof_hash      bytea primary key check (octet_length(proof_hash) = 32),
  service_user_id text not null references identity.users,
  client_id       text not null references identity.client_apps,
  expires_at      timestamptz(3) not null
);
create index link_proofs_by_expiry on identity.link_proofs (expires_at);
create index link_proofs_of_user on identity.link_proofs (service_user_id);
