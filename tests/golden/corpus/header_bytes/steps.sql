insert into orders values (3,'cy',5,'n','\x02',null);
update orders set b=null where id=3;
update orders set b='\x' where id=3;
