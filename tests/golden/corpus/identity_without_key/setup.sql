create table zz_done(id int primary key);
create table n1(a int, b text);
alter table n1 replica identity full;
create table n2(a int, b text);
insert into n1 values (1,'x');
insert into n2 values (1,'x');
create table n3(a int not null, b int, c int);
create unique index n3_a on n3(a);
alter table n3 replica identity using index n3_a;
