create table zz_done(id int primary key);
create table big(id int primary key, t text, b bytea, n int, ia int[], na numeric[]);
alter table big alter t set storage external;
alter table big alter b set storage external;
alter table big alter ia set storage external;
insert into big values (1, repeat('x',5000), decode(repeat('ab',5000),'hex'), 0, (select array_agg(i) from generate_series(1,3000) i));
