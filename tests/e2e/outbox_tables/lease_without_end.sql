-- Somebody has a row, and nobody knows until when.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, payload text, locked_by text, sent_at timestamptz);
insert into events values (1, 'Room', 'r-1', '{"n":1}', 'worker-1', null), (2, 'Room', 'r-2', '{"n":2}', null, null);
