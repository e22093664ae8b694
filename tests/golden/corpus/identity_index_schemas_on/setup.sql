create table zz_done(id int primary key);
create table t(a int primary key, b int not null, c int not null, d text);
create unique index t_bc on t(c,b);
alter table t replica identity using index t_bc;
insert into t values (1,2,3,'x');
