-- The log of admin actions as a chain: `chain_text` is the entry in canonical JSON, `chain_hash` is
-- SHA-256(the hash before it ‖ chain_text). Entries from before are covered by one digest, which the
-- chain begins with; its row is also the lock that whoever adds an entry takes.
create table identity.admin_log_beginning (
  only_row boolean primary key default true check (only_row),
  entries  bigint not null,
  digest   bytea not null check (octet_length(digest) = 32)
);

insert into identity.admin_log_beginning (entries, digest)
select count(*), sha256(coalesce(string_agg(sha256(convert_to(jsonb_build_array(
    log_id, order_id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    admin_id, action, subject, details, outcome)::text, 'UTF8')), ''::bytea order by log_id), ''))
from identity.admin_log;

alter table identity.admin_log
  add column chain_number bigint unique check (chain_number > 0),
  add column chain_text   text,
  add column chain_hash   bytea check (octet_length(chain_hash) = 32),
  -- Not valid: of those that are there already none is asked for it.
  add constraint admin_log_is_chained
    check (chain_number is not null and chain_text is not null and chain_hash is not null)
    not valid;

create trigger admin_log_beginning_stays
  before update or delete or truncate on identity.admin_log_beginning
  for each statement execute function identity.refuse_admin_log_change();
