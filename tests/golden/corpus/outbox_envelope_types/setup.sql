create table zz_done(id int primary key);
create table outbox(id uuid primary key, aggregatetype varchar(255) not null, aggregateid varchar(255) not null, type varchar(255) not null, payload jsonb, ts bigint, tenant text, n int, d numeric(5,2), t timestamptz, b bytea);
insert into outbox values ('00000000-0000-0000-0000-000000000001','order','42','OrderCreated','{"id": 42, "lines": [{"sku":"a","qty":1.50}], "n": null, "big": 12345678901234567890, "f": 1e400}',1700000000000,'acme',7,1.5,'2020-01-01Z','\x00ff');
