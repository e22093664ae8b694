create table zz_done(id int primary key);
create table ha(id int primary key, c0 text, c1 text, c2 text, c3 text, c4 text, c5 text, c6 text, c7 text, c8 text, c9 text, c10 text, c11 text, l text);insert into ha values(1,'value','value','value','value','value','value','value','value','value','value','value','value',repeat('é',40000));
