-- Money that goes back to the cards it came from, because its person asks for it: what is to be
-- refunded of which payment, written before the wallet is touched and before the processor is asked.
-- `amount_minor` is at most so much; `taken_minor` what the wallet had of it, once that is known.
create table payments.card_returns (
  return_id         uuid primary key,
  wallet_id         uuid not null references identity.users (wallet_id),
  processor         text not null check (processor in ('stripe', 'sandbox')),
  payment_intent_id text not null references payments.top_up_intents (payment_intent_id),
  amount_minor      bigint not null check (amount_minor > 0),
  taken_minor       bigint check (taken_minor between 0 and amount_minor),
  status            text not null check (status in ('open', 'refusing', 'sent', 'refused', 'nothing')),
  created_at        timestamptz(3) not null,
  -- Null once it has ended.
  due_at            timestamptz(3),
  tries             integer not null default 0,
  check ((due_at is null) = (status in ('sent', 'refused', 'nothing')))
);
create index card_returns_by_due on payments.card_returns (due_at) where due_at is not null;
create index card_returns_of_wallet on payments.card_returns (wallet_id, created_at);

-- When the person is to be told that their rule was switched off; null when there is nothing to tell.
alter table payments.automatic_top_ups
  add column tell_at timestamptz(3),
  add column tell_tries integer not null default 0;
create index automatic_top_ups_to_tell on payments.automatic_top_ups (tell_at)
  where tell_at is not null;
