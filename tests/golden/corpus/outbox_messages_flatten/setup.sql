create table zz_done(id int primary key);
create table plain(id int primary key);
