// OutboxTable: the statement that claims rows, and what keeps it from reading more than it has to.
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "poll/layouts/outbox_table.h"
#include "postgres/connection.h"
#include "postgres/oid_text.h"

namespace walduct::poll {
namespace {

using postgres::QuoteIdentifier;

std::string Dotted(absl::string_view alias, const std::vector<std::string>& names) {
  return absl::StrJoin(names, ", ", [alias](std::string* out, const std::string& name) {
    absl::StrAppend(out, alias, ".", name);
  });
}

std::string And(absl::string_view more) { return more.empty() ? "" : absl::StrCat(" AND ", more); }

// Which rows of a key stand behind another one. By sorting them, and before that by a hashed set of
// keys (IS TRUE: it becomes no join): whatever statistics say, it takes no longer than that.
constexpr absl::string_view kBefore = "GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING";

// Of writers: they have locked the table since before they took an id of it; who can take one
// without that has a number, for it has locked what the event is about. Prepared ones too.
constexpr absl::string_view kWriters = R"(
(SELECT pg_catalog.string_agg(l.virtualtransaction, ' ') FROM pg_catalog.pg_locks l
 WHERE l.locktype = 'relation' AND l.granted AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
   AND l.mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
                  'AccessExclusiveLock')
   AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d
                     WHERE d.datname = pg_catalog.current_database())
   AND (l.relation = {relation}
        OR l.relation IN (SELECT t.relid FROM pg_catalog.pg_partition_tree({relation}) t)
        OR l.relation IN (SELECT h.inhrelid FROM pg_catalog.pg_inherits h
                          WHERE h.inhparent = {relation}))))";
constexpr absl::string_view kNumbered = R"(
(SELECT pg_catalog.string_agg(x::text, ' ')
 FROM pg_catalog.pg_snapshot_xip(pg_catalog.pg_current_snapshot()) x))";

}  // namespace

std::vector<std::string> OutboxTable::OrderNames() const {
  std::vector<std::string> names =
      absl::StrSplit(Qualify(layout.order, "", columns), ", ", absl::SkipEmpty());
  for (const std::string& key : key_names)
    if (!absl::c_linear_search(names, key)) names.push_back(key);
  return names;
}

bool OutboxTable::has_low_water() const {
  return rises && layout.xact.empty() && absl::StrContains(key_types.front(), "int") &&
         OrderNames().front() == key_names.front();
}

std::string OutboxTable::LowWaterSql(const std::string& where) const {
  const std::string id = absl::StrCat("o.", key_names.front());
  const std::string writers = absl::StrReplaceAll(
      kWriters, {{"{relation}", absl::StrCat(ToInteger(relation), "::pg_catalog.oid")}});
  return absl::StrCat("SELECT (SELECT ", id, " FROM ", name, " o WHERE ",
                      Qualify(layout.open, "o", columns), " AND ", id, " >= $1::bigint",
                      where.empty() ? "" : absl::StrCat(" AND (", where, ")"), " ORDER BY ", id,
                      " LIMIT 1)::text, pg_catalog.concat_ws(' ', ", writers,
                      numbers_itself ? "" : absl::StrCat(", ", kNumbered), ")");
}

// What has to wait, before the last of the first rows.
std::string OutboxTable::BarriersSql(bool waits, const std::string& bound) const {
  const std::vector<std::string> by = OrderNames();
  // Before NULL is nothing, as far as SQL knows.
  const bool ends = absl::c_none_of(columns, [&by](const LayoutColumn& column) {
    return column.nullable && absl::c_linear_search(by, QuoteIdentifier(column.name));
  });
  const std::string barrier =
      absl::StrCat("SELECT ", Dotted("p", by), ", ", Qualify(layout.key, "p", columns),
                   " AS walduct_key FROM ", name, " p WHERE ");
  std::vector<std::string> barriers;
  if (!layout.blocks.empty())
    barriers.push_back(absl::StrCat(barrier, Qualify(layout.blocks, "p", columns), bound));
  if (!layout.blocks.empty() && ends)
    absl::StrAppend(&barriers.back(), " AND (", Dotted("p", by), ") < (SELECT ", Dotted("n", by),
                    " FROM near n ORDER BY ", absl::StrJoin(by, " DESC, "), " DESC LIMIT 1)");
  if (waits)
    barriers.push_back(
        absl::StrCat(barrier, KeysSql("p", 2), " AND ", Qualify(layout.open, "p", columns)));
  return absl::StrJoin(barriers, " UNION ALL ");
}

// Rows that are held back stand behind a barrier: one of their key that has to wait. Barriers are
// looked for among what is open before the last of the first rows, and only if most of these are
// held back, in all that is open: asked row by row (NOT EXISTS), the planner, which takes open rows
// for few, reads all before it for each of them.
std::string OutboxTable::NearSql(const std::string& ready, bool waits,
                                 const std::string& low) const {
  const std::vector<std::string> by = OrderNames();
  const std::string order = absl::StrJoin(by, ", "), keys = absl::StrJoin(key_names, ", ");
  const auto of = [&](absl::string_view text, absl::string_view alias) {
    return Qualify(text, alias, columns);
  };
  const auto bound = [&](absl::string_view alias) {
    return low.empty() ? "" : absl::StrCat(" AND ", alias, ".", low);
  };
  std::vector<std::string> names;
  std::string is_barrier = layout.blocks.empty() ? "false" : of(layout.blocks, "o");
  for (const event::Column& column : schema->columns) names.push_back(QuoteIdentifier(column.name));
  if (waits) absl::StrAppend(&is_barrier, " OR ", KeysSql("o", 2));
  const std::string columns_of_row = absl::StrCat(
      Dotted("o", names), ", (", of(layout.key, "o"),
      ")::text AS walduct_key, o.xmax = '0'::xid AS walduct_untouched FROM ", name, " o WHERE ");
  std::string far =
      absl::StrCat("o.", key_names[0], " = ANY (ARRAY(SELECT ", key_names[0], " FROM far))");
  if (key_names.size() > 1)
    absl::StrAppend(&far, " AND (", Dotted("o", key_names), ") IN (SELECT ", keys, " FROM far)");
  return absl::StrCat(
      "near AS MATERIALIZED (SELECT ", columns_of_row, ready, bound("o"), " ORDER BY ",
      Dotted("o", by), " LIMIT $1::bigint + $1::bigint / 4 + 1), barriers AS MATERIALIZED (",
      BarriersSql(waits, bound("p")), "), held AS MATERIALIZED (SELECT ", keys, " FROM (SELECT ",
      order, ", walduct_mine, bool_or(NOT walduct_mine) OVER (PARTITION BY walduct_key ORDER BY ",
      order, " ", kBefore, ") AS walduct_held FROM (SELECT ", Dotted("n", by), ", ",
      of(layout.key, "n"), " AS walduct_key, true AS walduct_mine FROM near n WHERE (",
      of(layout.key, "n"), " IN (SELECT walduct_key FROM barriers)) IS TRUE UNION ALL SELECT ",
      order,
      ", walduct_key, false FROM barriers) u WHERE walduct_key IS NOT NULL) v WHERE "
      "walduct_mine AND walduct_held), starved AS MATERIALIZED (SELECT (SELECT count(*) FROM near) "
      "> $1::bigint + $1::bigint / 4 AND (SELECT count(*) FROM held) > $1::bigint / 4 + 1 AS yes), "
      "far AS MATERIALIZED (SELECT ",
      keys, " FROM (SELECT ", Dotted("o", by), ", ", of(layout.key, "o"),
      " IS NULL AS walduct_alone, (", ready, ") AS walduct_ready, bool_or(", is_barrier,
      ") OVER (PARTITION BY ", of(layout.key, "o"), " ORDER BY ", Dotted("o", by), " ", kBefore,
      ") AS walduct_held FROM ", name, " o WHERE ", of(layout.open, "o"), bound("o"),
      " AND (SELECT yes FROM starved)) x WHERE walduct_ready AND (walduct_alone OR walduct_held IS "
      "NOT TRUE) ORDER BY ",
      order, " LIMIT $1::bigint), seen AS MATERIALIZED ((SELECT ", absl::StrJoin(names, ", "),
      ", walduct_key, walduct_untouched FROM near n WHERE NOT (SELECT yes FROM starved) AND NOT ((",
      keys, ") IN (SELECT ", keys, " FROM held)) ORDER BY ", Dotted("n", by),
      " LIMIT $1::bigint) UNION ALL SELECT ", columns_of_row, "(SELECT yes FROM starved) AND ", far,
      ")");
}

std::string OutboxTable::ClaimSql(const std::string& where, bool waits, bool beside,
                                  bool from) const {
  const auto of = [&](absl::string_view text) { return Qualify(text, "o", columns); };
  const size_t parts = key_names.size();
  std::vector<std::string> names;
  for (const event::Column& column : schema->columns) names.push_back(QuoteIdentifier(column.name));
  std::string condition = of(layout.open);
  if (!layout.ready.empty()) absl::StrAppend(&condition, " AND ", of(layout.ready));
  if (!where.empty()) absl::StrAppend(&condition, " AND (", where, ")");
  // Of the version that is locked, too: it may have got another owner meanwhile.
  const std::string still = condition;
  if (beside)
    absl::StrAppend(&condition, " AND NOT (", HashedKeysSql("o", waits ? parts + 2 : 2), ")");
  if (waits) absl::StrAppend(&condition, " AND NOT (", KeysSql("o", 2), ")");
  const size_t last = 2 + (waits ? parts : 0) + (beside ? parts : 0);
  const std::string low =
      from ? absl::StrCat(key_names.front(), " >= $", last, "::bigint") : std::string();
  const std::string key = layout.key.empty() ? "NULL" : of(layout.key);
  const bool held_back = !layout.key.empty() && (waits || !layout.blocks.empty());
  const std::string seen =
      held_back
          ? NearSql(condition, waits, low)
          : absl::StrCat("seen AS MATERIALIZED (SELECT ", Dotted("o", names), ", (", key,
                         ")::text AS walduct_key, o.xmax = '0'::xid AS walduct_untouched FROM ",
                         name, " o WHERE ", condition, And(low.empty() ? "" : "o." + low),
                         " ORDER BY ", OrderSql("o"), " LIMIT $1::bigint)");
  // Who locks or changes a row writes its number into xmax: only rows that have one are locked
  // here, for that writes each of them. By the primary key's index, whatever statistics say: a join
  // would read the whole table.
  constexpr absl::string_view kTouched = " FROM seen WHERE NOT walduct_untouched";
  std::string touched =
      absl::StrCat("o.", key_names[0], " = ANY (ARRAY(SELECT ", key_names[0], kTouched, "))");
  if (parts > 1)
    absl::StrAppend(&touched, " AND (", Dotted("o", key_names), ") IN (SELECT ",
                    absl::StrJoin(key_names, ", "), kTouched, ")");
  return absl::StrCat("WITH ", seen, ", free AS MATERIALIZED (SELECT ", Dotted("o", key_names),
                      " FROM ", name, " o WHERE ", touched, " AND ", still,
                      " FOR NO KEY UPDATE OF o SKIP LOCKED) SELECT ", Dotted("s", names),
                      ", s.walduct_key, s.walduct_untouched OR (", Dotted("s", key_names),
                      ") IN (SELECT ", absl::StrJoin(key_names, ", "),
                      " FROM free) FROM seen s ORDER BY ", OrderSql("s"));
}

}  // namespace walduct::poll
