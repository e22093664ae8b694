insert into t select id+10,a,b,c,d,e,f,g,h,i,j,k,l,m,n from t;
update t set a='Infinity' where id=1;
update t set a=123456789012345678901234567890.123456789, m=16777216, n=1e21 where id=2;
delete from t where id=3;
