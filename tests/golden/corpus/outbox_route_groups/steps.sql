insert into outbox values ('00000000-0000-0000-0000-000000000001','order','1','T','{}');
insert into outbox values ('00000000-0000-0000-0000-000000000002','order.line','1','T','{}');
insert into outbox values ('00000000-0000-0000-0000-000000000003','Order_X-1','1','T','{}');
insert into outbox values ('00000000-0000-0000-0000-000000000004','a1b2','1','T','{}');
insert into outbox values ('00000000-0000-0000-0000-000000000005','x','1','T','{}');
