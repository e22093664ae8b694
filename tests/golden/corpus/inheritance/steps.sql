insert into chi values (4,'d',5);
update par set v='all';
delete from par where id=2;
insert into par values (9,'n');
