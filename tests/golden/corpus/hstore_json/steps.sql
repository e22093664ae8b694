insert into t values (2,'"x y"=>"q\"z", "é"=>""','{}');
insert into t(id) values (3);
update t set h='k=>v';
