-- The count of changes.sql, mended: a transaction counts once, because one row changed again and
-- again within it costs more each time (24,000 links took six seconds, and held the row meanwhile);
-- and emptying a table counts too.
create or replace function identity.count_change() returns trigger language plpgsql as $$
begin
  update identity.changes set count = count + 1 where xmin <> pg_current_xact_id()::xid;
  return null;
end
$$;

create trigger count_emptying after truncate on identity.client_apps
  for each statement execute function identity.count_change();
create trigger count_emptying after truncate on identity.client_secrets
  for each statement execute function identity.count_change();
create trigger count_emptying after truncate on identity.links
  for each statement execute function identity.count_change();
create trigger count_emptying after truncate on identity.users
  for each statement execute function identity.count_change();
