-- What the sandbox holds of customers and their cards. The numbers are those of test cards.
create table sandbox.customers (
  id              text primary key,
  idempotency_key text unique,
  metadata        jsonb not null,
  is_deleted      boolean not null default false
);
create table sandbox.payment_methods (
  id          text primary key,
  -- Null until it has paid once, and after it was detached.
  customer_id text references sandbox.customers,
  card_number text not null,
  exp_month   integer not null,
  exp_year    integer not null
);
alter table sandbox.payment_intents
  add column customer_id text references sandbox.customers,
  add column setup_future_usage text,
  add column payment_method_id text references sandbox.payment_methods;
