create table zz_done(id int primary key);
create table outbox(id uuid primary key, aggregatetype varchar(255) not null, aggregateid varchar(255) not null, type varchar(255) not null, payload jsonb, tenant text, n int, part int, ver int, at timestamp(6));
