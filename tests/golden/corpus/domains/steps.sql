insert into t(id,b) values (2,'q');
update t set a=null where id=1;
delete from t where id=1;
