insert into outbox(agg_type,agg_id,body) values ('b',null,'{"x":2}'),('c',3,null);
