-- Where the read models stand: in which store, at which position, and which event is there.
create table checkpoint (
  only_row boolean primary key default true check (only_row),
  version  integer not null,
  marker   text,
  position numeric(20) not null default 0,
  event_id uuid
);
