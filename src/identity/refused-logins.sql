-- Logins that were refused because of a wrong email or password: one row for each hour, area,
-- account and address, with how many there were. `account` is the id of the account that the email
-- names, and empty where it names none: what was typed is not kept, for it may be a password. Where
-- the day has no room for another row, an empty address stands for all others. Rows go after 90
-- days, and a person's with their erasure.
create table identity.refused_logins (
  refused_id bigint generated always as identity unique,
  hour       timestamptz(0) not null,
  area       text not null check (area in ('admin', 'widget')),
  account    text not null,
  address    text not null,
  tries      integer not null check (tries > 0),
  last_at    timestamptz(3) not null,
  primary key (hour, area, account, address)
);
create index refused_logins_by_account on identity.refused_logins (account) where account <> '';
