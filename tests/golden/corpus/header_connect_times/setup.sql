create table zz_done(id int primary key);
create table times(id int primary key, d date, ts timestamp(3), t time(3));
