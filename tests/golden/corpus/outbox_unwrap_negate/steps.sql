insert into outbox values ('00000000-0000-0000-0000-000000000001','order','0','T0','{"a": 1}','acme',0,0,0,'2024-01-02 03:04:05.000000');
insert into plain values(1,'a');
update plain set v='b';
delete from plain;
