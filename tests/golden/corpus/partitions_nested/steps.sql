insert into p values (3,'b',3),(4,'a',4);
update p set r='b' where id=1;
update p set v=9 where r='b';
delete from p where id=4;
truncate p;
create table p_c partition of p for values in ('c');
insert into p values (5,'c',5);
