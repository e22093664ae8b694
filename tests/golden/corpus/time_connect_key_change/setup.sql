create table zz_done(id int primary key);
create table k1(d date primary key, v int);
create table k2(t time primary key, v int);
create table k3(s timestamp, d date, v int, primary key(s,d));
