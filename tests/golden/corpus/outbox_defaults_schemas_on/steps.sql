insert into outbox values (null,'order',null,null,null,null,null,null,null,null,1);
insert into outbox(k) values (2);
