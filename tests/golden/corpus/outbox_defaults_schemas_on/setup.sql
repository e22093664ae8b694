create table zz_done(id int primary key);
create table outbox(id uuid default '00000000-0000-0000-0000-000000000009', aggregatetype text default 'deft', aggregateid text default 'defk', type text default 'defty', payload jsonb default '{"d": 1}', n int default 5, part int default 0, ver int default 4, at timestamp default '2020-01-01', num numeric(5,2) default 1.5, k int primary key);
