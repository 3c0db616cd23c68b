-- How the widget shows a client app, and finding the app by the page that embeds it.
alter table identity.client_apps
  add column brand_name   text,
  add column accent_color text check (accent_color ~* '^#[0-9a-f]{6}$');
create index client_apps_by_iframe_parent
  on identity.client_apps using gin (allowed_iframe_parents);
