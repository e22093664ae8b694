create table zz_done(id int primary key);
create table p(id int, r text, v int, primary key(id,r)) partition by list(r);
create table p_a partition of p for values in ('a');
create table p_b partition of p for values in ('b') partition by range(id);
create table p_b1 partition of p_b for values from (0) to (100);
insert into p values (1,'a',1),(2,'b',2);
