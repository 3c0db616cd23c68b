-- The sandbox's own memory: what Stripe would hold. Shared by every process of a deployment; no
-- real money, and nothing of the ledger.
create schema sandbox;
create table sandbox.keys (
  is_only        boolean primary key default true check (is_only),
  secret_key     text not null,
  webhook_secret text not null
);
create table sandbox.payment_intents (
  id              text primary key,
  idempotency_key text unique,
  secret          text not null,
  amount          bigint not null check (amount > 0),
  amount_received bigint not null default 0,
  currency        text not null,
  description     text,
  metadata        jsonb not null,
  status          text not null check (status in
    ('requires_payment_method', 'requires_action', 'processing', 'succeeded', 'canceled')),
  failure_code    text,
  failure_message text,
  created_at      timestamptz(3) not null
);
create table sandbox.refunds (
  place             bigint generated always as identity unique,
  id                text primary key,
  payment_intent_id text not null references sandbox.payment_intents,
  amount            bigint not null check (amount > 0),
  status            text not null check (status in ('pending', 'succeeded', 'failed')),
  created_at        timestamptz(3) not null
);
create index refunds_of_payment on sandbox.refunds (payment_intent_id, place);
create table sandbox.disputes (
  place             bigint generated always as identity unique,
  id                text primary key,
  payment_intent_id text not null references sandbox.payment_intents,
  amount            bigint not null check (amount > 0),
  status            text not null check (status in ('needs_response', 'won', 'lost')),
  created_at        timestamptz(3) not null
);
create index disputes_of_payment on sandbox.disputes (payment_intent_id, place);
create table sandbox.balance_transactions (
  place      bigint generated always as identity unique,
  id         text primary key,
  dispute_id text not null references sandbox.disputes,
  amount     bigint not null,
  created_at timestamptz(3) not null
);
create index balance_transactions_of_dispute on sandbox.balance_transactions (dispute_id, place);
-- What happens by itself, later.
create table sandbox.acts (
  act_id            bigint generated always as identity primary key,
  payment_intent_id text not null references sandbox.payment_intents,
  kind              text not null check (kind in ('succeed', 'refund', 'dispute')),
  due_at            timestamptz(3) not null
);
create index acts_by_due on sandbox.acts (due_at);
-- Webhooks that were not taken yet: written together with what they tell of.
create table sandbox.webhooks (
  id     text primary key,
  body   text not null,
  tries  integer not null default 0,
  due_at timestamptz(3) not null
);
create index webhooks_by_due on sandbox.webhooks (due_at);
