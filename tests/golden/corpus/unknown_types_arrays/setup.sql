create table zz_done(id int primary key);
create type comp as (a int, b text);
create table t(id int primary key, a int4range, b int8range, c numrange, d tsrange, e tstzrange, f daterange, g int4multirange, h point, i box, j circle, k line, l lseg, m path, n polygon, o comp, p tsvector, q tsquery, r pg_lsn, s jsonpath, t txid_snapshot, u cidr, v inet, w macaddr8, x regclass, y xid, z name, aa "char", ab comp[], ac inet[], ad int4range[], ae tsvector[], af jsonb[], ag uuid[], ah money[], ai interval[], aj bit(3)[], ak xml[], al date[], am timestamptz[], an time[], ao numeric[], ap bytea[], aq boolean[], ar varchar(3)[], at oid[], au float4[], av float8[], aw smallint[], ax bigint[]);
insert into t(id) values (1);
