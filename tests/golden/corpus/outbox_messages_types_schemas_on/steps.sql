select pg_logical_emit_message(true,'outbox','{"id":"1","aggregatetype":"order","aggregateid":"7","type":"T","payload":{"a":1,"b":[1,2],"n":null}}');
select pg_logical_emit_message(true,'outbox','{"id":2,"aggregatetype":"order","aggregateid":8,"type":"T","payload":"{\"x\":1.5}"}');
select pg_logical_emit_message(true,'outbox','{"id":1.5,"aggregatetype":"order","aggregateid":true,"type":"T","payload":[1,2]}');
select pg_logical_emit_message(true,'outbox','{"id":"9","aggregatetype":"order","aggregateid":"7","payload":{}}');
select pg_logical_emit_message(true,'outbox','{"id":"9","aggregatetype":"order","aggregateid":{"a":1},"payload":""}');
select pg_logical_emit_message(true,'outbox','{"id":"9","aggregatetype":"order","aggregateid":"7","payload":5000000000}');
insert into plain values (1);
