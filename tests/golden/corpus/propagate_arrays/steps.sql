insert into t(id) values (2);
update t set a='x' where id=1;
