create table zz_done(id int primary key);
create extension if not exists hstore;
create table t(id int primary key, a date, b time, c timetz, d timestamp, e timestamptz, f interval, g numeric, h numeric(10,2), i money, j bytea, k hstore, l timestamp(0), m time(3), n float4, o float8);
insert into t values (1,'2020-02-29','12:34:56.1','12:34:56.1+05:30','2020-02-29 12:34:56.100','2020-02-29 12:34:56.1-08','1 year 2 mons -3 days 04:05:06.789','1e20','-0.5','-1234.56','\xfffefd','a=>1, b=>NULL, "c d"=>"e,f"','2020-01-01','00:00:00',3.4e38,5e-324);
insert into t(id) values (2);
