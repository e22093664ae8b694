create table zz_done(id int primary key);
create table kv(id int primary key, v text, n numeric(8,3) default 1.5, f float8, ts timestamptz default '2020-01-01 00:00:00Z', b bytea, j jsonb, a int[]);
insert into kv values (1,'a',1.25,0.1,'2021-02-03 04:05:06.789Z','\x0001ff','{"x": 1e2}','{1,null,3}'),(2,null,null,null,null,null,null,null);create table t2(a int, b int, primary key(b,a));
create table nokey(x text);
