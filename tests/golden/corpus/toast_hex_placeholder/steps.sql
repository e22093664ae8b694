update big set n=1;
update big set t='short';
delete from big;
