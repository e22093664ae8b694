create table zz_done(id int primary key);
create extension if not exists hstore;
create table t(id int primary key, h hstore not null default '', hs hstore[]);
insert into t values (1,'a=>1,b=>NULL','{"a=>1"}');
