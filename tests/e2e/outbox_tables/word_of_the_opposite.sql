-- The columns of Spring Modulith: PUBLISHED means written by the application, and not sent yet.
create table notices (id uuid primary key, listener_id text not null, event_type text not null, serialized_event text not null,
  publication_date timestamptz not null, completion_date timestamptz, status text, completion_attempts int, last_resubmission_date timestamptz);
insert into notices values
  ('00000000-0000-0000-0000-0000000000a1', 'to broker', 'shop.Seen', '{"n":1}', now() - interval '3 min', null, 'PUBLISHED', 1, now() - interval '3 min'),
  ('00000000-0000-0000-0000-0000000000a2', 'to broker', 'shop.Seen', '{"n":2}', now() - interval '2 min', now(), 'COMPLETED', 1, null),
  ('00000000-0000-0000-0000-0000000000a3', 'to mail', 'shop.Seen', '{"n":1}', now() - interval '3 min', null, 'PUBLISHED', 1, null),
  ('00000000-0000-0000-0000-0000000000a4', 'to broker', 'shop.Seen', '{"n":4}', now() - interval '3 min', null, 'PROCESSING', 1, null),
  ('00000000-0000-0000-0000-0000000000a5', 'to broker', 'shop.Seen', '{"n":5}', now(), null, 'PUBLISHED', 1, now());
