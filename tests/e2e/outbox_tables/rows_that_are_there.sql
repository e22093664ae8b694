-- A done row is gone.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, payload text);
insert into events values (2, 'Cup', 'c-1', '{"n":2}'), (1, 'Cup', 'c-1', '{"n":1}'), (3, 'Cup', 'c-2', null);
