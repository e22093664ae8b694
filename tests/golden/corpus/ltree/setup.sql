create table zz_done(id int primary key);
create extension if not exists ltree;
create extension if not exists isn;
create table t(id int primary key, p ltree, ps ltree[], q lquery);
insert into t values (1,'a.b.c','{a.b,c}','*.a');
