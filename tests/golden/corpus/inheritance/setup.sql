create table zz_done(id int primary key);
create table par(id int primary key, v text);
create table chi(w int) inherits(par);
alter table chi add primary key(id);
insert into par values (1,'p');
insert into chi values (2,'c',3);
