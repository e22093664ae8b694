insert into zz_done values (7);
