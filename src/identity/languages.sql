-- The language that a person has chosen, or whose page they signed up on: for pages and mails.
alter table identity.users
  add column language text check (language in ('en', 'de', 'fr', 'es', 'pt', 'pl'));
