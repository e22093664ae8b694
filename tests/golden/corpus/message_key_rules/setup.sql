create table zz_done(id int primary key);
create table a(id int primary key, c text, d int, e text not null default 'dd'); create table nopk(x int, y text); create table full1(id int primary key, c text, d int); alter table full1 replica identity full;
create table uq(u int not null unique, w int); create table "Odd.T"("A b" int, "c:d" text, id int primary key); create table nk(id int primary key, k text); alter table nk replica identity full; create table other(id int primary key, pk int);
alter table uq replica identity full;insert into a values (1,'c1',10); insert into nopk values (1,'n'); insert into full1 values (1,'f',5); insert into uq values (1,2); insert into "Odd.T" values (1,'cd',1); insert into nk values (1,null); insert into other values (1,2);
