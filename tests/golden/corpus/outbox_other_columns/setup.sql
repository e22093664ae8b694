create table zz_done(id int primary key);
create table outbox(event_id bigserial primary key, agg_type text, agg_id int, body json, created timestamp default now());
insert into outbox(agg_type,agg_id,body) values ('a',1,'{ "x" : 1 }');
