-- When a bank refused what was paid; null again while it is at another try. Client apps are told by
-- their webhooks, in the transaction that writes it.
alter table payments.top_up_intents add column failed_at timestamptz(3);
create trigger note_for_webhooks after update of failed_at on payments.top_up_intents
  for each row when (old.failed_at is null and new.failed_at is not null)
  execute function webhooks.note_failed_top_up();
