insert into t select id+10,a,b,c,d,e,f,g,h,i,j from t;
update t set c='\x00' where id=1;
insert into t(id) values (99);
delete from t where id=2;
update k set a='\x01';
delete from k;
