-- Top-ups: who wants to pay how much, written before the processor is asked. `check_at` is when the
-- sweeper looks next; null when there is nothing more to wait for.
create schema payments;
create table payments.top_up_intents (
  top_up_id         uuid primary key,
  processor         text not null check (processor in ('stripe', 'sandbox')),
  payment_intent_id text unique,
  wallet_id         uuid not null references identity.users (wallet_id),
  service_user_id   text not null references identity.users,
  client_id         text not null references identity.client_apps,
  amount_minor      bigint not null check (amount_minor > 0),
  currency          text not null,
  status            text not null check (status in ('creating', 'open', 'paid', 'cancelled')),
  created_at        timestamptz(3) not null,
  check_at          timestamptz(3),
  checks            integer not null default 0,
  check (status in ('creating', 'cancelled') or payment_intent_id is not null)
);
create index top_up_intents_by_check on payments.top_up_intents (check_at)
  where check_at is not null;
create index top_up_intents_of_wallet on payments.top_up_intents (wallet_id, created_at);
