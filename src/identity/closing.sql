-- An account that its person has closed: open again by a login until `erase_at`, then erased, unless
-- money has come meanwhile. Both null: open.
alter table identity.users
  add column closed_at timestamptz(3),
  add column erase_at  timestamptz(3);
create index users_to_erase on identity.users (erase_at) where erase_at is not null;
