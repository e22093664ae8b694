create table zz_done(id int primary key);
