create table zz_done(id int primary key);
create type mood as enum('a','b');
create domain dd as numeric(7,3);
create table t(id int primary key, a varchar(10), b varchar, c char(3), d numeric, e numeric(5), f numeric(5,2), g timestamp(3), h timestamptz, i time(2), j bit(5), k varbit, l mood, m dd, n int[], o varchar(7)[], p numeric(6,1)[], q interval second(2), r float4, s bytea, u text);
insert into t(id) values (1);
