-- What the signed digest "this person owns this wallet" is salted with (audit.owners). Destroyed by
-- erasure: then nobody can tell from the digest, which stays, whose wallet it was.
alter table identity.users
  add column owner_salt bytea check (octet_length(owner_salt) = 32)
    default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
update identity.users set owner_salt = null where erased_at is not null;
