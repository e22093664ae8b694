-- A word that nobody has explained, among known ones.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, status text, payload text);
insert into events values (1, 'Parcel', 'p-1', 'NEW', '{}'), (2, 'Parcel', 'p-1', 'QUEUED', '{}');
