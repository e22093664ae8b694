create table zz_done(id int primary key);
create extension if not exists citext;
create table k1(id uuid primary key, v int);
create table k2(d date, t timestamptz, n numeric(5,2), primary key(n,t,d));
create table k3(b bytea primary key);
create table k4(x text, y char(3), z boolean, primary key(z,y,x));
create table k5(t time primary key);
create table k6(a bigint, e interval, primary key(e));
create table "K 7"("Id é" smallint primary key, "v.x" int);
create table k8(c citext primary key);
insert into k2 values ('2020-01-01','2020-01-01 00:00Z',1.5)
