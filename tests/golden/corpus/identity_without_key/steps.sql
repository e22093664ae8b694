insert into n1 values (2,null);
update n1 set b='z';
delete from n1 where a=1;
insert into n2 values (2,'y');
insert into n3 values (1,2,3);
update n3 set b=5;
update n3 set a=6;
delete from n3;
