insert into nn(id,t,e) values (2,'two','happy'); update nn set t='changed' where id=1; update nn set id=11 where id=1; delete from nn where id=2;
update pk set a=2; update pk set k='newkey'; delete from pk; insert into two values (2,null,null); update two set v='zwei' where id=2;
