-- Since when a bank processes the payment of an intent: it is paid for the person, and no entry of
-- the wallet yet. Null before that and after it.
alter table payments.top_up_intents add column processing_since timestamptz(3);
create index top_up_intents_pending on payments.top_up_intents (wallet_id)
  where processing_since is not null;
