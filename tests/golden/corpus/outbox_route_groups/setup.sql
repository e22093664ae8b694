create table zz_done(id int primary key);
create table outbox(id uuid primary key, aggregatetype text, aggregateid text, type text, payload jsonb);
