-- Counts every change of what credentials and links are looked up from, so that whoever remembers
-- answers asks for one number instead of for every row again. The tables count by themselves: no
-- statement, also not one of an operator, is forgotten. Deferred to the commit, because the one row
-- is then the last thing a transaction locks, and two of them cannot wait for each other.
create table identity.changes (
  only_row boolean primary key default true check (only_row),
  count    bigint not null
);
insert into identity.changes (count) values (0);

create function identity.count_change() returns trigger language plpgsql as $$
begin
  update identity.changes set count = count + 1;
  return null;
end
$$;

-- Inserts are left out: that something was missing is remembered nowhere.
create constraint trigger count_change
  after update or delete on identity.client_apps deferrable initially deferred
  for each row execute function identity.count_change();
create constraint trigger count_change
  after update of secret_hash, client_id or delete on identity.client_secrets
  deferrable initially deferred for each row execute function identity.count_change();
create constraint trigger count_change
  after update or delete on identity.links deferrable initially deferred
  for each row execute function identity.count_change();
create constraint trigger count_change
  after update of wallet_id, sealing_key or delete on identity.users
  deferrable initially deferred for each row execute function identity.count_change();
