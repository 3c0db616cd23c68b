-- The people of the admin area, their sessions (only the hash of a token), and what they did.
create table identity.admins (
  admin_id      text primary key,
  email         text not null unique,
  password_hash text not null,
  role          text not null check (role in ('admin', 'auditor')),
  created_at    timestamptz(3) not null
);

create table identity.admin_sessions (
  token_hash   bytea primary key,
  admin_id     text not null references identity.admins,
  created_at   timestamptz(3) not null,
  last_used_at timestamptz(3) not null
);

-- An act is an order, written before it begins, and a second row with its outcome that names the
-- order. A row that is both (outcome without order) is an act that needed no order. `admin_id` is
-- null for the command line.
create table identity.admin_log (
  log_id   bigint generated always as identity primary key,
  order_id bigint unique references identity.admin_log,
  at       timestamptz(3) not null,
  admin_id text references identity.admins,
  action   text not null,
  subject  text,
  details  jsonb not null,
  outcome  text check (outcome in ('done', 'refused')),
  check (order_id is null or outcome is not null)
);

create function identity.refuse_admin_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'the log of admin actions takes inserts only' using errcode = '42501';
end $$;

create trigger admin_log_is_append_only
  before update or delete or truncate on identity.admin_log
  for each statement execute function identity.refuse_admin_log_change();
