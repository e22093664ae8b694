insert into t select 10+id,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o from t;
update t set a='0044-03-15 BC', d='0001-01-01', e='9999-12-31 23:59:59.999999Z', b='24:00', f='-1 mon' where id=1;
update t set g='NaN' where id=2;
