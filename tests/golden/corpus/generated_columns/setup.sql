create table zz_done(id int primary key);
create table g(id int generated always as identity primary key, a int, b int generated always as (a*2) stored, c text);
insert into g(a) values (1);
