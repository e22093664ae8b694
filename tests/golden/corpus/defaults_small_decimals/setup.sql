create table zz_done(id int primary key);
create table small(id int primary key, z numeric(19,19) default 0, n numeric(12,9) not null default 0.000000001, m numeric(12,9) default -0.000000025, i numeric(12,9) default 0.000000032, t numeric(12,9) default 0, f numeric(12,9) default 0.000000032, b numeric(12,9) default 0.000000032);
insert into small(id) values (1);
insert into small values (2, NULL, 0, NULL, NULL, NULL, NULL, NULL);
