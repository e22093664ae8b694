update t set d='y';
update t set b=9;
update t set a=7;
delete from t;
insert into t values (2,3,4,null);
