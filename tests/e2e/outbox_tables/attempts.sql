-- One that is due later holds its key, one that is parked too; what is over, or was never tried, does not.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, event_type text, payload text, attempts int not null default 0,
  next_try_at timestamptz, error text, processed_at timestamptz);
insert into events values
  (1, 'Trip', 't-1', 'Begun', '{"n":1}', 2, now() - interval '1 min', 'refused', null),
  (2, 'Trip', 't-2', 'Begun', '{"n":2}', 3, now() + interval '1 hour', 'refused', null),
  (3, 'Trip', 't-2', 'Ended', '{"n":3}', 0, null, null, null),
  (4, 'Trip', 't-3', 'Begun', '{"n":4}', 10, now() - interval '1 day', 'refused', null),
  (5, 'Trip', 't-3', 'Ended', '{"n":5}', 0, null, null, null),
  (6, 'Trip', 't-4', 'Begun', '{"n":6}', 0, null, null, null),
  (7, 'Trip', 't-5', 'Begun', '{"n":7}', 1, null, 'refused', now());
