create table zz_done(id int primary key);
create table t(id int primary key, a bytea, b bytea[], c bytea not null default '\x', d bit(1), e bit(8), f bit(64), g varbit, h varbit(3), i bit(65), j bytea default '\xdeadbeef');
insert into t values (1,'\x00ff10','{"\\x01",NULL}','\x616263',b'1',b'10000001',(1::bigint)::bit(64),b'',b'1',(5::bigint)::bit(65),null),(2,null,null,'',null,null,null,null,null,null,'');create table k(a bytea, b bit(3), primary key(a,b));
insert into k values ('\xff',b'101');
