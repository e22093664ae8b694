insert into outbox values ('00000000-0000-0000-0000-000000000101','order','42','A','{}','acme "q" é',7,8,1.5,2.25,false,1.5,'2020-01-01 00:00:00Z','\x00ff','{}','2020-01-02','[1]',null);
insert into outbox (id,aggregatetype,aggregateid,type,payload,tenant) values ('00000000-0000-0000-0000-000000000102','order','42','A','{}',null);
insert into outbox (id,aggregatetype,aggregateid,type,payload) values ('00000000-0000-0000-0000-000000000103','order','42','A','{}');
delete from outbox;
