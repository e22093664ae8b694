update a set d=11 where id=1; update a set c='c2' where id=1; update a set id=2 where id=1; delete from a; insert into nopk values (2,'m'); update full1 set d=6; update full1 set c='g'; update full1 set id=9; delete from full1;
update uq set w=3; update nk set k='v'; update nk set k=null; update nk set k='v2'; delete from nk; update "Odd.T" set "A b"=2; insert into other values (5,6);
