-- Which number means published is in the application's code alone.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, status smallint not null default 0, payload text);
insert into events values (1, 'Parcel', 'p-1', 0, '{}'), (2, 'Parcel', 'p-1', 1, '{}');
