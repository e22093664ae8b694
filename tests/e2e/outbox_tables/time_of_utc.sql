-- As templates of .NET make it: what failed for good is processed too, and has its error.
create table outbox_messages (id uuid primary key, type text not null, content jsonb not null, occurred_on_utc timestamptz not null,
  processed_on_utc timestamptz, error text);
insert into outbox_messages values
  ('00000000-0000-0000-0000-0000000000b3', 'OrderPlaced', '{"n": 1}', now() - interval '3 min', now(), null),
  ('00000000-0000-0000-0000-0000000000b2', 'OrderPlaced', '{"n": 2}', now() - interval '2 min', null, null),
  ('00000000-0000-0000-0000-0000000000b4', 'OrderPaid', '{"n": 3}', now() - interval '2 min', now(), 'refused'),
  ('00000000-0000-0000-0000-0000000000b1', 'OrderPaid', '{"n": 4}', now() - interval '1 min', null, null);
