insert into kv(id,v) values (7,'seven');
update kv set v='acht' where id=7;
delete from kv where id=7;
