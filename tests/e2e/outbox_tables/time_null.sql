-- Open while published_at is null; ids as they are written.
create table events (id bigint generated always as identity primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
  created_at timestamptz not null default now(), published_at timestamptz);
insert into events (aggregate_type, aggregate_id, event_type, payload, published_at) values
  ('Invoice', 'i-1', 'Drawn', '{"sum": 7}', now() - interval '1 day'),
  ('Invoice', 'i-1', 'Sent', '{"sum": 8}', null),
  ('Invoice', 'i-2', 'Drawn', '{"sum": 9}', null),
  ('Invoice', 'i-1', 'Paid', '{"sum": 10}', null);
