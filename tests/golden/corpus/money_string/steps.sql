insert into t values (3,'0.01');
insert into t(id) values (4);
delete from t where id=1;
