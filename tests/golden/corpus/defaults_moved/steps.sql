insert into moved values (3, NULL, 2.25, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into moved values (4, 1.5, 2.25, 3, 4, 5.5, '2024-02-29 12:00:00+00', 'x', '2024-02-29', '23:59:59', '\xff', '2024-02-29 12:00:00.5+00', 0.1);
update moved set n = NULL, i = NULL, z = NULL, h = NULL where id = 4;
