insert into g(a) values (2);
update g set a=5 where id=1;
delete from g where id=1;
