"""Tables of two numbers, and a session that changes their rows as fast as the server takes them: one transaction a change."""
import random

from support.writer import Writer

TABLE = """
create table {name} (id bigint primary key, v bigint not null);
insert into {name} select g, -g from generate_series(1, {rows}) g;
analyze {name};
create procedure churn_{name}(first bigint, changes int, seed float8) language plpgsql as $churn$
declare
  a bigint; b bigint; which int;
begin
  perform setseed(seed);
  for v_new in first .. first + changes - 1 loop
    a := 1 + floor(random() * {keys}); b := 1 + floor(random() * {keys}); which := floor(random() * 20);
    if which < 10 then
      update {name} set v = v_new where id = a;
    elsif which < 13 then
      delete from {name} where id = a;
    elsif which < 16 then
      update {name} set id = b, v = v_new where id = a and not exists (select from {name} where id = b);
    else
      insert into {name} values (a, v_new) on conflict (id) do update set v = excluded.v;
    end if;
    commit;
  end loop;
end $churn$
"""
AT_A_TIME = 200


def create(database, name, rows):
    """Half of the keys have a row."""
    with database.connect() as session:
        session.execute(TABLE.format(name=name, rows=rows, keys=2 * rows))


class Churn(Writer):
    """No two changes give a row the same value."""

    def __init__(self, database, seed, tables):
        super().__init__(database, seed)
        self.tables = tables

    def change(self, session, choose: random.Random):
        session.execute(f"call churn_{choose.choice(self.tables)}(%s, %s, %s)", (self.changes + 1, AT_A_TIME, choose.random()))
        return AT_A_TIME
