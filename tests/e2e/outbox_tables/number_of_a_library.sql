-- The columns of Eventuate Tram in a table of another name: 0 is open, 1 is done.
create schema mail;
create table mail.letters (id varchar(40) primary key, destination text not null, headers text not null, payload text not null,
  published smallint default 0, message_partition smallint, creation_time bigint);
insert into mail.letters values
  ('a1', 'letters', '{"PARTITION_ID":"l-1"}', '{"to":"x"}', 1, null, 1795000000000),
  ('a2', 'letters', '{"PARTITION_ID":"l-1"}', '{"to":"y"}', 0, null, 1795000000001),
  ('a3', 'parcels', '{"PARTITION_ID":"l-2"}', '{"to":"z"}', 0, null, 1795000000002);
