select pg_logical_emit_message(true,'outbox','{"id":"11111111-2222-3333-4444-555555555555","aggregatetype":"order","aggregateid":"1","type":"Created","payload":{"a":1,"b":[1,2],"c":null}}');
insert into plain values (1);
select pg_logical_emit_message(true,'outbox','{"id":"2","aggregatetype":"customer","aggregateid":"k","type":"Moved","payload":{"z":"x"}}');
