create table customers (id integer primary key, name text not null, email text);
create table orders (id integer primary key, customer_id integer references customers, item text, quantity integer);
insert into customers values (1, 'Ada', 'ada@example.com'), (2, 'Linus', null);
insert into orders values (100, 1, 'pump', 2);
