create table zz_done(id int primary key);
create table kv_1(id int primary key, v text);
create table kv_2(id int primary key, v text);
insert into kv_1 values (1,'a');
insert into kv_2 values (1,'b');
