create table zz_done(id int primary key);
create table f(id int primary key, n numeric, t text, h text, x varchar(10), q tsquery, big text, iv interval); alter table f replica identity full; create table dflt(id int primary key, t text); create table kk(id int primary key, v text); alter table kk replica identity full;
create table allcols(id int primary key, v int); create table twok(id int, w int, primary key(id,w)); alter table twok replica identity full;
insert into f values (1,1.0,'a','b','xyz','a&b',repeat('q',5000),'1 mon'); insert into dflt values (1,'a'); insert into kk values (1,'x'); insert into allcols values (1,1); insert into twok values (1,1);
