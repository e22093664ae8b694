create table zz_done(id int primary key);
create table orders(id integer primary key, customer text not null default 'x', total numeric(10,2) default 1, note text, b text, at timestamptz);
alter table orders replica identity full;
insert into orders values (1,'ann',10.00,null,'o','2020-01-01Z'),(2,'bob',null,'x',null,null);
