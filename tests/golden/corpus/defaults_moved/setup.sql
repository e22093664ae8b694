create table zz_done(id int primary key);
create table moved(id int primary key, n numeric(10,2) default 12.30, m numeric(12,3) not null default -0.5, i int default 16777217, l bigint default 12345678901, q float8 default 0.1, z timestamptz default '2020-01-02 03:04:05.678901+01', t text default 'it''s "quoted"', d date default '2020-01-02', ct time default '01:02:03', b bytea default '\x0102', h timestamptz default '2021-01-01 00:00:00+00', g numeric(6,1) default 7.5);
insert into moved(id) values (1);
insert into moved values (2, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
