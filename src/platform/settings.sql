-- What a deployment decided once and may not change, such as its currency.
create table service.settings (
  name  text primary key,
  value text not null
);
