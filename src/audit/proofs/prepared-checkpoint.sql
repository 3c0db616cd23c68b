-- The checkpoint that is signed and has its leaves, but is perhaps not witnessed yet: its row comes
-- once it is. So a crash between the two is completed with the very same checkpoint. At most one.
create table audit.prepared_checkpoint (
  only_row   boolean primary key default true check (only_row),
  checkpoint text not null,
  signature  bytea not null
);
