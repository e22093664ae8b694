create table customers (id integer primary key, name text not null, email text);
create table orders (id integer primary key, customer_id integer references customers, item text, quantity integer);
insert into customers values (1, 'Ada', 'ada@example.com'), (2, 'Linus', null);
insert into orders values (100, 1, 'pump', 2);

-- walduct is no superuser; docs/security.md says what each mode needs. A table that comes later is added to the publication.
create role walduct_cdc login replication password 'walduct';
grant usage on schema public to walduct_cdc;
grant select on all tables in schema public to walduct_cdc;
alter default privileges in schema public grant select on tables to walduct_cdc;
create publication walduct for table customers, orders;
