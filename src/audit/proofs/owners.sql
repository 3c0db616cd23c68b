-- Who owns which wallet, as a digest that says it only to who has the person's salt: the leaves of a
-- tree whose root every checkpoint signs. An owner gets the next number when the next checkpoint is
-- made, so a checkpoint signs all rows up to a number.
create table audit.owners (
  number    bigint primary key check (number > 0),
  wallet_id uuid not null unique,
  digest    bytea not null check (octet_length(digest) = 32)
);

create trigger owners_only_grow
before update or delete or truncate on audit.owners
for each statement execute function audit.refuse_change();
