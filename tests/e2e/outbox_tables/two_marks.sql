-- Two columns could say that a row is published, and they disagree.
create table events (id bigint primary key, aggregate_type text, aggregate_id text, payload text, sent boolean not null default false, sent_at timestamptz);
insert into events values (1, 'Cup', 'c-1', '{}', true, null), (2, 'Cup', 'c-1', '{}', false, now());
