-- Somebody has a row until the time that it says.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, payload text, locked_by text, locked_until timestamptz,
  sent_at timestamptz);
insert into events values
  (1, 'Room', 'r-1', '{"n":1}', 'worker-1', now() + interval '1 hour', null),
  (2, 'Room', 'r-1', '{"n":2}', null, null, null),
  (3, 'Room', 'r-2', '{"n":3}', 'worker-0', now() - interval '1 min', null),
  (4, 'Room', 'r-3', '{"n":4}', null, null, null);
