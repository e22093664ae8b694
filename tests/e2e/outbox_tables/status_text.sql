-- NEW, PUBLISHED, FAILED, with the time beside it.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, event_type text, status varchar(16) not null, payload text,
  published_at timestamptz);
insert into events values
  (1, 'Parcel', 'p-1', 'Packed', 'PUBLISHED', '{"kg": 1}', now() - interval '1 hour'),
  (2, 'Parcel', 'p-1', 'Left', 'NEW', '{"kg": 2}', null),
  (3, 'Parcel', 'p-2', 'Packed', 'FAILED', '{"kg": 3}', null),
  (4, 'Parcel', 'p-2', 'Left', 'NEW', '{"kg": 4}', null);
