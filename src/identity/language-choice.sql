-- Only a choice binds pages. What `language` held before this release may be the page of a first login:
-- it goes on for mails, and pages ask again.
alter table identity.users add column language_chosen boolean not null default false;
