-- A bus whose instances lock rows until a time, and give some up.
create table smb_outbox (id uuid primary key, timestamp timestamptz not null, bus_name varchar(64), message_type varchar(256), message_payload bytea not null,
  headers jsonb, path varchar(128), lock_instance_id varchar(128), lock_expires_on timestamptz not null, delivery_attempt int not null,
  delivery_complete boolean not null, delivery_aborted boolean not null default false);
insert into smb_outbox values
  ('00000000-0000-0000-0000-0000000000d4', now() - interval '5 min', null, 'Placed', '{"n":1}', null, 'orders', null, now() - interval '5 min', 0, false, false),
  ('00000000-0000-0000-0000-0000000000d1', now() - interval '4 min', null, 'Placed', '{"n":2}', null, 'orders', 'a', now() - interval '4 min', 1, true, false),
  ('00000000-0000-0000-0000-0000000000d2', now() - interval '3 min', null, 'Placed', '{"n":3}', null, 'orders', 'a', now() + interval '1 hour', 1, false, false),
  ('00000000-0000-0000-0000-0000000000d3', now() - interval '2 min', null, 'Placed', '{"n":4}', null, 'orders', 'a', now() - interval '2 min', 9, false, true),
  ('00000000-0000-0000-0000-0000000000d0', now() - interval '1 min', null, 'Placed', '{"n":5}', null, 'orders', 'b', now() - interval '1 min', 1, false, false);
