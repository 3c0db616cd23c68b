-- Tries in the current window of each throttled key (hashed). Unlogged: a flood of tries must not
-- wait for the disk, and after a crash everyone may begin anew.
create unlogged table identity.throttle (
  key_hash       bytea primary key check (octet_length(key_hash) = 32),
  tries          integer not null,
  window_ends_at timestamptz(3) not null
);
create index throttle_by_end on identity.throttle (window_ends_at);
