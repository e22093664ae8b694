insert into _timescaledb_internal._hyper_1_1_chunk values ('2026-01-01 01:00+00', 1, 21);
insert into _timescaledb_internal._hyper_1_3_chunk values ('2026-01-08 01:00+00', 1, 22), ('2026-01-08 01:00+00', 2, null);
update _timescaledb_internal._hyper_1_3_chunk set value = 23 where sensor = 1;
delete from _timescaledb_internal._hyper_1_1_chunk;
insert into _timescaledb_internal._hyper_2_2_chunk values ('2026-01-02', 21);
insert into _timescaledb_internal.compress_orphan values (1);
insert into public.plain values (2);
truncate _timescaledb_internal._hyper_1_3_chunk;
