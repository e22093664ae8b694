create table zz_done(id int primary key);
create table t(id int primary key, m money default 5);
insert into t values (1,'12.34'),(2,'-$1,234.50');
