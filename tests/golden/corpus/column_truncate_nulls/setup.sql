create table zz_done(id int primary key);
create type mood as enum('sad','happy');
create table nn(id int primary key, t text not null, v varchar(7) not null default 'dflt', o text default 'odef', e mood not null, big text, bb bytea, c2 varchar(3) not null default 'abcdef'::varchar(3));
create table pk(k text primary key, a int, b varchar(10) not null);
create table two(id int primary key, t text, v varchar(40));
alter table nn alter column big set storage external; alter table nn alter column bb set storage external;
insert into nn values (1,'x','y',null,'sad',repeat('ab',3000),convert_to(repeat('z',6000),'UTF8'),'q'); insert into pk values ('secretkey',1,'b');insert into two values (1,'one','eins');
