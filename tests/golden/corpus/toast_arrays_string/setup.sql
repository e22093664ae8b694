create table zz_done(id int primary key);
create table lists(id int primary key, small int, i int[], l bigint[], s smallint[], d date[], t text[], u uuid[], ts timestamp[], f float8[], b bool[]);
alter table lists alter i set storage external, alter l set storage external, alter s set storage external, alter d set storage external, alter t set storage external, alter u set storage external, alter ts set storage external, alter f set storage external, alter b set storage external;
insert into lists select 1, 1, array_agg(n), array_agg(n), array_agg(n), array_agg(date '2024-01-01'), array_agg('x' || n), array_agg(uuid '00000000-0000-0000-0000-000000000001'), array_agg(timestamp '2024-01-01'), array_agg(n / 4.0), array_agg(n % 2 = 0) from generate_series(1, 3000) n;
