create table zz_done(id int primary key);
create domain d1 as varchar(10) default 'dd';
create domain d2 as d1 not null default 'x';
create domain d3 as int[];
create domain d4 as timestamptz(3);
create domain d5 as jsonb;
create domain d6 as uuid;
create table t(id int primary key, a d1, b d2, c d3, d d4, e d5, f d6, g d1[]);
insert into t values (1,'a','b','{1}','2020-01-01 00:00:00.1234Z','{}','11111111-2222-3333-4444-555555555555','{x}');
