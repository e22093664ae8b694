create table zz_done(id int primary key);
create table big(id int primary key, t text, j jsonb, b bytea, ta text[], n int);
alter table big alter t set storage external;
alter table big alter j set storage external;
alter table big alter b set storage external;
alter table big alter ta set storage external;
insert into big values (1, repeat('x',5000), (select jsonb_agg(i) from generate_series(1,2000) i), decode(repeat('ab',5000),'hex'), array[repeat('y',5000)], 0);
