insert into outbox values ('00000000-0000-0000-0000-000000000101','order','42','A','{"a":1,"s":"x","b":true,"n":null,"arr":[1,2],"o":{"x":1.5,"y":[]}}',1700000000000,'acme',7,1.5,'2020-01-01 00:00:00Z','\x00ff');
insert into outbox values ('00000000-0000-0000-0000-000000000102','customer','7','B','{}',1700000000000,'acme',7,1.5,'2020-01-01 00:00:00Z','\x00ff');
insert into outbox values ('00000000-0000-0000-0000-000000000103','order','43','C','[1,2,3]',1700000000000,'acme',7,1.5,'2020-01-01 00:00:00Z','\x00ff');
insert into outbox values ('00000000-0000-0000-0000-000000000104','order','','D','"text"',1700000000000,'acme',7,1.5,'2020-01-01 00:00:00Z','\x00ff');
insert into outbox values ('00000000-0000-0000-0000-000000000105','OrderX','é','E','12',null,null,null,null,null,null);
insert into outbox values ('00000000-0000-0000-0000-000000000106','order','44','F',null,null,null,null,null,null,null);
insert into outbox values ('00000000-0000-0000-0000-000000000107','order','45','G','null',1700000000000,'acme',7,1.5,'2020-01-01 00:00:00Z','\x00ff');
insert into outbox values ('00000000-0000-0000-0000-000000000108','order','46','H','{"deep":[{"a":1},{"a":2,"b":"x"}],"e":[[1],[2,3]],"mixed":1e3}',1700000000000,'acme',7,1.5,'2020-01-01 00:00:00Z','\x00ff');
