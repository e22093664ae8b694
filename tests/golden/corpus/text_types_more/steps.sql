insert into t select id+1,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s from t;
insert into t(id) values (5);
update t set a='' where id=1;
update t set c=null, h='null', i='null' where id=2;
