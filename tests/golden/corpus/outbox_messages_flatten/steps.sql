select pg_logical_emit_message(true,'outbox','{"id":"1","aggregatetype":"order","aggregateid":"7","type":"T","payload":{"a":{"b":1},"c":[1,2],"d":"x"}}');
select pg_logical_emit_message(true,'outbox','{"id":"2","aggregatetype":"customer","aggregateid":8,"type":"T","payload":{}}');
select pg_logical_emit_message(true,'outbox','{"id":"3","aggregatetype":"order","aggregateid":"9","type":"T","payload":null}');
select pg_logical_emit_message(true,'outbox','{"id":"4","aggregatetype":"order","aggregateid":"9","type":"T","payload":"{\"x\": {\"y\": 1.5}}"}');
insert into plain values (1);
