insert into t(id, c0, c26) values (2, null, '11111111-2222-3333-4444-555555555556');
delete from t where id=2;
