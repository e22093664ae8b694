-- A processor has a row until a time that each row has, and tries it so often.
create table events (id uuid primary key, partition_key text not null, destinations jsonb not null, headers jsonb, payload text not null,
  attempts int not null default 0, created_at timestamptz not null default now(), processing_until timestamptz not null default now(),
  processed_at timestamptz);
insert into events values
  ('00000000-0000-0000-0000-0000000000c1', 'k-1', '[]', null, '{"n":1}', 1, now() - interval '6 min', now() + interval '1 hour', null),
  ('00000000-0000-0000-0000-0000000000c2', 'k-1', '[]', null, '{"n":2}', 0, now() - interval '5 min', now() - interval '5 min', null),
  ('00000000-0000-0000-0000-0000000000c3', 'k-2', '[]', null, '{"n":3}', 1, now() - interval '4 min', now() - interval '1 min', null),
  ('00000000-0000-0000-0000-0000000000c4', 'k-3', '[]', null, '{"n":4}', 10, now() - interval '3 min', now() - interval '1 min', null),
  ('00000000-0000-0000-0000-0000000000c5', 'k-4', '[]', null, '{"n":5}', 1, now() - interval '2 min', now() - interval '2 min', now());
