insert into emb values (3,'[1,2,3]','[1e+10,123456.79,0.33333334]','[0.099975586,0.19995117,0.30004883]','{5:0.33333334}/5','{}','[1]','{1:1e-20}/1','n');
insert into emb values (4,null,'[1.6777216e+07]',null,null,null,'[1]','{}/16000','x');
update emb set v='[4,5,6]', s=null where id=3;
update emb set v=null,h=null where id=1;
delete from emb where id=2;
update emb set id=30 where id=3;
