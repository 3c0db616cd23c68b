-- Which kinds of events may be written here: processes of the release before stop a wallet at one that
-- they do not know. A fresh database (all its migrations are of this very transaction) has no such process.
insert into service.settings (name, value)
select 'event-kinds', '2'
where not exists (select from service.migrations where applied_at < now());
