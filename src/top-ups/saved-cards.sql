-- Saved cards: the processor's ids, and by what a person recognises a card. Never its number.
-- A customer is one person at one processor. Its row stands before the processor is asked, with the
-- key that makes two askings one; after a removal the next row has another key.
create table payments.customers (
  service_user_id text not null references identity.users,
  processor       text not null check (processor in ('stripe', 'sandbox')),
  customer_key    uuid not null,
  customer_id     text,
  primary key (service_user_id, processor)
);
create table payments.saved_cards (
  card_id           uuid primary key,
  service_user_id   text not null references identity.users,
  processor         text not null check (processor in ('stripe', 'sandbox')),
  payment_method_id text not null unique,
  -- The processor's word for "the same card": one saved twice is one row.
  fingerprint       text not null,
  brand             text not null,
  last_four         text not null,
  expiry_month      integer not null,
  expiry_year       integer not null,
  saved_at          timestamptz(3) not null,
  unique (service_user_id, processor, fingerprint)
);
-- What is still to be removed at the processor: here it is gone already.
create table payments.card_removals (
  removal_id bigint generated always as identity primary key,
  processor  text not null,
  kind       text not null check (kind in ('customer', 'card')),
  id         text not null,
  tries      integer not null default 0,
  due_at     timestamptz(3) not null default '-infinity'
);
create index card_removals_by_due on payments.card_removals (due_at);

-- `saves_card`: the card that pays it is to be kept; false again once that was done.
alter table payments.top_up_intents
  add column saves_card boolean not null default false,
  add column is_automatic boolean not null default false;
-- Whatever processes do, one wallet has one automatic top-up under way.
create unique index top_up_intents_one_automatic on payments.top_up_intents (wallet_id)
  where is_automatic and status in ('creating', 'open');

-- "Below so much top up so much, at most so much a month." `open_top_up_id` is the try whose end is
-- not counted yet; `next_at` is when the rule is looked at next.
create table payments.automatic_top_ups (
  wallet_id       uuid primary key references identity.users (wallet_id),
  service_user_id text not null unique references identity.users,
  processor       text not null check (processor in ('stripe', 'sandbox')),
  client_id       text not null references identity.client_apps,
  card_id         uuid references payments.saved_cards on delete set null,
  threshold_minor bigint not null check (threshold_minor > 0),
  amount_minor    bigint not null check (amount_minor > 0),
  month_max_minor bigint not null check (month_max_minor >= amount_minor),
  is_on           boolean not null,
  off_because     text check (off_because in ('person', 'card', 'failures')),
  failures        integer not null default 0,
  tries           integer not null default 0,
  open_top_up_id  uuid references payments.top_up_intents,
  next_at         timestamptz(3) not null,
  check (not is_on or card_id is not null)
);
create index automatic_top_ups_on on payments.automatic_top_ups (wallet_id) where is_on;
create index automatic_top_ups_open on payments.automatic_top_ups (next_at)
  where open_top_up_id is not null;

-- A closed or erased account has no cards, whoever closes it: with the customer every card goes.
create function payments.forget_cards() returns trigger language plpgsql as $$
begin
  delete from payments.automatic_top_ups where service_user_id = new.service_user_id;
  delete from payments.saved_cards where service_user_id = new.service_user_id;
  with gone as (
    delete from payments.customers where service_user_id = new.service_user_id returning *
  )
  insert into payments.card_removals (processor, kind, id)
  select processor, 'customer', customer_id from gone where customer_id is not null;
  return null;
end
$$;

create trigger forget_cards after update of closed_at, erased_at on identity.users
  for each row when (new.closed_at is not null or new.erased_at is not null)
  execute function payments.forget_cards();
