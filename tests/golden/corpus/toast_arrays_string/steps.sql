update lists set small = 2 where id = 1;
insert into lists values (2, 1, '{1,NULL,-3}', '{}', '{7}', '{2024-01-01}', '{"a, b",NULL}', NULL, '{2024-01-01 00:00:00}', '{1.5,NaN}', '{t,f}');
update lists set small = 3 where id = 1;
