-- Double entry, two postings an applied entry, as a view: it cannot disagree with the transactions.
-- A positive amount on a wallet is what the platform owes the person; on a client app what it owes
-- the app; the other side carries the same amount with the other sign, so every entry sums to zero.
create view journal as
  select t.entry_id, t.wallet_id, t.revision, t.time, t.type, p.account, p.kind, p.amount_minor
  from transactions t
  cross join lateral (
    select
      case
        when t.type in ('WalletCredited', 'WalletToppedUp', 'TopUpReinstated', 'BonusGranted')
          then t.amount_minor
        else -t.amount_minor
      end as wallet_minor,
      case
        when t.type in ('WalletCredited', 'WalletDebited', 'HoldCaptured') then t.issuer
        when t.type = 'WalletToppedUp' then 'processor'
        when t.type = 'BonusGranted' then 'bonus'
        else 'reversal'
      end as counter_account
  ) s
  cross join lateral (
    values
      ('wallet:' || t.wallet_id, 'wallet', s.wallet_minor),
      (s.counter_account, split_part(s.counter_account, ':', 1), -s.wallet_minor)
  ) as p (account, kind, amount_minor)
  -- A hold moves no money.
  where t.code is null and t.type not in ('HoldPlaced', 'HoldReleased', 'HoldExpired');

-- Totals a counter account, and one for all wallets together; kept by the projector in the same
-- transaction, so they equal the view at every position.
create table journal_totals (
  account      text primary key,
  amount_minor numeric(30) not null,
  postings     bigint not null
);
