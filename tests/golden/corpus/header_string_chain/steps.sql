insert into orders values (3,'cy',5,'n','\x02',null);
update orders set total=null where id=3;
update orders set id=30 where id=3;
update orders set b=null, note=null where id=30;
delete from orders where id=30;
