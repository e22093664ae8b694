create table zz_done(id int primary key);
create extension citext; create extension hstore; create extension ltree; create type mood as enum('sad','happy','toolonglabelforthat'); create domain dtext as text; create domain dv8 as varchar(8); create domain dnum as numeric(6,3);
create domain dn0 as numeric; create domain dnn as dn0; create domain dta as text[];
create table pm(id int primary key, na numeric[], dn0 dn0, dnn dnn, t1 time(1), id_ interval day, id2 interval day to second(2), tsa timestamp(3)[], da date[], oa oid[], ja json[], tz1 timestamptz(1), va varchar[], ca char(4)[], dta dta, ib interval, qca "char"[], d2 dv8, n0 numeric(7), nn numeric(5,-2), boa bool[], i2a int2[], uu uuid[], bya bytea[], mon money, tsr tsrange, b0 bit, tt0 time(0), tzz2 timetz(2), c1 char);
create table em(id int primary key, t text, b bytea); insert into em values (1,'😀abc','\x0102');
insert into pm(id,nn) values (1,100);