create table zz_done(id int primary key);
create table "Mixed_Case é😀"("ID x" int primary key, "Sélect" text, "a.b" int, "1st" int, "_u" int); create table plain_t(id int primary key, under_score text); create table nopk(x int);alter table nopk replica identity full;
insert into "Mixed_Case é😀" values (1,'x',2,3,4); insert into plain_t values (1,'p'); insert into nopk values (1);
