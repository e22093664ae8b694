update big set n=1;
update big set t='short';
update big set n=2, j='1';
update big set id=2;
delete from big;
