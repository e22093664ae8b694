-- Only its own worker knows that enqueued_at says that a row is done.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, payload text, created_at timestamptz not null, enqueued_at timestamptz);
insert into events values
  (1, 'Order', 'o-1', '{"n":1}', now() - interval '2 min', now()),
  (2, 'Order', 'o-1', '{"n":2}', now() - interval '1 min', null),
  (3, 'Order', 'o-2', '{"n":3}', now(), null);
