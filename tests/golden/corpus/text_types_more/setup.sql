create table zz_done(id int primary key);
create extension if not exists citext;
create table t(id int primary key, a text, b varchar(5), c char(5), d citext, e name, f "char", g xml, h json, i jsonb, j uuid, k inet, l cidr, m macaddr, n macaddr8, o tsvector, p text collate "C", q varchar, r char, s bpchar);
insert into t values (1,E'tab\tnl\ncr\rbs\\q\u0001\u007f\u0080\u2028/</script>','ü€𝄞','ab','CaSe','nm','x','<a b="c">&amp;</a>','{ "a" : [1 , 2.50, 1e5], "a":null }','{"b": 1.50, "a": "\u00e9"}','A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11','192.168.1.5/24','192.168.0.0/16','08-00-2B-01-02-03','08002b0102030405','fat:2,4 cat:3A','x','y','z','  pad  ');
