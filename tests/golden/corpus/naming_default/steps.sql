insert into "Mixed_Case é😀" values (2,'y',3,4,5); update "Mixed_Case é😀" set "ID x"=3 where "ID x"=2; delete from "Mixed_Case é😀" where "ID x"=3; insert into plain_t values (2,'q'); delete from plain_t; update nopk set x=2; insert into nopk values (9);truncate plain_t;
select pg_logical_emit_message(true,'pre','content');
