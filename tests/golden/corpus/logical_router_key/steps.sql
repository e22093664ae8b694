insert into kv_1 values (2,'x');
update kv_2 set v='y';
update kv_2 set id=5;
delete from kv_1 where id=1;
