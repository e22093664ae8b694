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

bool OutboxTable::has_ranges() const {
  const std::string& type = key_types.front();
  return key_names.size() == 1 && layout.xact.empty() &&
         (type == "bigint" || type == "integer" || type == "smallint") &&
         OrderNames().front() == key_names.front();
}

std::string OutboxTable::LowWaterSql(const std::string& where, bool ranged) const {
  using Beside = ClaimForm::Beside;
  const std::string id = absl::StrCat("o.", key_names.front());
  const std::string writers = absl::StrReplaceAll(
      kWriters, {{"{relation}", absl::StrCat(ToInteger(relation), "::pg_catalog.oid")}});
  const std::vector<std::string> apart =
      ApartSql("o", {.beside = ranged ? Beside::kRange : Beside::kNothing});
  const std::string first = absl::StrJoin(apart, ", ", [&](std::string* out, const auto& part) {
    absl::StrAppend(out, "(SELECT ", id, " FROM ", name, " o WHERE ",
                    Qualify(layout.open, "o", columns), " AND ", id, " >= $1::bigint", part,
                    where.empty() ? "" : absl::StrCat(" AND (", where, ")"), " ORDER BY ", id,
                    " LIMIT 1)");
  });
  return absl::StrCat("SELECT ", ranged ? "least" : "", "(", first,
                      ")::text, pg_catalog.concat_ws(' ', ", writers,
                      numbers_itself ? "" : absl::StrCat(", ", kNumbered), ")");
}

std::string OutboxTable::LeftOutSql(absl::string_view alias, const ClaimForm& form) const {
  const size_t at = form.beside_at(key_names.size());
  if (form.beside == ClaimForm::Beside::kKeys) return HashedKeysSql(alias, at);
  const std::string id = absl::StrCat(alias, ".", key_names.front());
  return absl::StrCat(id, " >= $", at, "::bigint AND ", id, " <= $", at + 1, "::bigint AND ", id,
                      " <> ALL ($", at + 2, "::bigint[])");
}

// The conditions of which each holds for other rows, and together for all that are not in the
// range: each by an index, and no row of the range is read.
std::vector<std::string> OutboxTable::ApartSql(absl::string_view alias,
                                               const ClaimForm& form) const {
  if (form.beside != ClaimForm::Beside::kRange) return {""};
  const size_t at = form.beside_at(key_names.size());
  const std::string id = absl::StrCat(" AND ", alias, ".", key_names.front());
  const std::string first = absl::StrCat("$", at, "::bigint");
  const std::string last = absl::StrCat("$", at + 1, "::bigint");
  return {absl::StrCat(id, " < ", first),
          absl::StrCat(id, " > ", first, id, " < ", last, id, " = ANY ((SELECT $", at + 2,
                       "::bigint[])::bigint[])"),
          absl::StrCat(id, " > ", last)};
}

std::string OutboxTable::FirstSql(const std::string& from, const ClaimForm& form,
                                  absl::string_view limit) const {
  const auto ordered = [&](absl::string_view alias) {
    return absl::StrCat(" ORDER BY ", OrderSql(alias), " LIMIT ", limit);
  };
  const std::vector<std::string> apart = ApartSql("o", form);
  if (apart.size() == 1) return absl::StrCat(from, apart.front(), ordered("o"));
  return absl::StrCat("SELECT * FROM (",
                      absl::StrJoin(apart, " UNION ALL ",
                                    [&](std::string* out, const std::string& part) {
                                      absl::StrAppend(out, "(", from, part, ordered("o"), ")");
                                    }),
                      ") walduct_apart", ordered("walduct_apart"));
}

// What has to wait, before the last of the first rows.
std::string OutboxTable::BarriersSql(const ClaimForm& form, const std::string& bound) const {
  const std::vector<std::string> by = OrderNames();
  // Before NULL is nothing, as far as SQL knows.
  const bool ends = absl::c_none_of(columns, [&by](const LayoutColumn& column) {
    return column.nullable && absl::c_linear_search(by, QuoteIdentifier(column.name));
  });
  const std::string barrier =
      absl::StrCat("SELECT ", Dotted("p", by), ", ", Qualify(layout.key, "p", columns),
                   " AS walduct_key FROM ", name, " p WHERE ");
  const std::string before =
      ends ? absl::StrCat(" AND (", Dotted("p", by), ") < (SELECT ", Dotted("n", by),
                          " FROM near n ORDER BY ", absl::StrJoin(by, " DESC, "), " DESC LIMIT 1)")
           : "";
  std::vector<std::string> barriers;
  if (!layout.blocks.empty())
    for (const std::string& part : ApartSql("p", form))
      barriers.push_back(
          absl::StrCat(barrier, Qualify(layout.blocks, "p", columns), bound, part, before));
  if (form.waits)
    barriers.push_back(
        absl::StrCat(barrier, KeysSql("p", 2), " AND ", Qualify(layout.open, "p", columns)));
  return absl::StrJoin(barriers, " UNION ALL ");
}

// Rows that are held back stand behind a barrier: one of their key that has to wait. Barriers are
// looked for among what is open before the last of the first rows, and only if most of these are
// held back, in all that is open: asked row by row (NOT EXISTS), the planner, which takes open rows
// for few, reads all before it for each of them.
std::string OutboxTable::NearSql(const std::string& from, const std::string& ready,
                                 const ClaimForm& form, const std::string& low) const {
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
  if (form.waits) absl::StrAppend(&is_barrier, " OR ", KeysSql("o", 2));
  std::string far =
      absl::StrCat("o.", key_names[0], " = ANY (ARRAY(SELECT ", key_names[0], " FROM far))");
  if (key_names.size() > 1)
    absl::StrAppend(&far, " AND (", Dotted("o", key_names), ") IN (SELECT ", keys, " FROM far)");
  const bool apart = form.beside == ClaimForm::Beside::kRange;
  return absl::StrCat(
      "near AS MATERIALIZED (",
      FirstSql(absl::StrCat(from, ready, bound("o")), form, "$1::bigint + $1::bigint / 4 + 1"),
      "), barriers AS MATERIALIZED (", BarriersSql(form, bound("p")),
      "), held AS MATERIALIZED (SELECT ", keys, " FROM (SELECT ", order,
      ", walduct_mine, bool_or(NOT walduct_mine) OVER (PARTITION BY walduct_key ORDER BY ", order,
      " ", kBefore, ") AS walduct_held FROM (SELECT ", Dotted("n", by), ", ", of(layout.key, "n"),
      " AS walduct_key, true AS walduct_mine FROM near n WHERE (", of(layout.key, "n"),
      " IN (SELECT walduct_key FROM barriers)) IS TRUE UNION ALL SELECT ", order,
      ", walduct_key, false FROM barriers) u WHERE walduct_key IS NOT NULL) v WHERE "
      "walduct_mine AND walduct_held), starved AS MATERIALIZED (SELECT (SELECT count(*) FROM near) "
      "> $1::bigint + $1::bigint / 4 AND (SELECT count(*) FROM held) > $1::bigint / 4 + 1 AS yes), "
      "far AS MATERIALIZED (SELECT ",
      keys, " FROM (SELECT ", Dotted("o", by), ", ", of(layout.key, "o"),
      " IS NULL AS walduct_alone, (", ready,
      apart ? absl::StrCat(" AND NOT (", LeftOutSql("o", form), ")") : "",
      ") AS walduct_ready, bool_or(", is_barrier, ") OVER (PARTITION BY ", of(layout.key, "o"),
      " ORDER BY ", Dotted("o", by), " ", kBefore, ") AS walduct_held FROM ", name, " o WHERE ",
      of(layout.open, "o"), bound("o"),
      " AND (SELECT yes FROM starved)) x WHERE walduct_ready AND (walduct_alone OR walduct_held IS "
      "NOT TRUE) ORDER BY ",
      order, " LIMIT $1::bigint), seen AS MATERIALIZED ((SELECT ", absl::StrJoin(names, ", "),
      ", walduct_key, walduct_untouched FROM near n WHERE NOT (SELECT yes FROM starved) AND NOT ((",
      keys, ") IN (SELECT ", keys, " FROM held)) ORDER BY ", Dotted("n", by),
      " LIMIT $1::bigint) UNION ALL ", from, "(SELECT yes FROM starved) AND ", far, ")");
}

std::string OutboxTable::ClaimSql(const std::string& where, const ClaimForm& form) const {
  const auto of = [&](absl::string_view text) { return Qualify(text, "o", columns); };
  const size_t parts = key_names.size();
  std::vector<std::string> names;
  for (const event::Column& column : schema->columns) names.push_back(QuoteIdentifier(column.name));
  std::string condition = of(layout.open);
  if (!layout.ready.empty()) absl::StrAppend(&condition, " AND ", of(layout.ready));
  if (!where.empty()) absl::StrAppend(&condition, " AND (", where, ")");
  // Of the version that is locked, too: it may have got another owner meanwhile.
  const std::string still = condition;
  if (form.beside == ClaimForm::Beside::kKeys)
    absl::StrAppend(&condition, " AND NOT (", LeftOutSql("o", form), ")");
  if (form.waits) absl::StrAppend(&condition, " AND NOT (", KeysSql("o", 2), ")");
  const std::string low =
      form.from ? absl::StrCat(key_names.front(), " >= $", form.from_at(parts), "::bigint")
                : std::string();
  const std::string key = layout.key.empty() || key_is_column() ? "NULL" : of(layout.key);
  const std::string from = absl::StrCat(
      "SELECT ", Dotted("o", names), ", (", key,
      ")::text AS walduct_key, o.xmax = '0'::xid AS walduct_untouched FROM ", name, " o WHERE ");
  const bool held_back = !layout.key.empty() && (form.waits || !layout.blocks.empty());
  // Who locks or changes a row writes its number into xmax: only rows that have one are locked
  // here, for that writes each of them; one by one, by the primary key's index, whatever statistics
  // say.
  std::vector<std::string> equal;
  for (const std::string& part : key_names)
    equal.push_back(absl::StrCat("o.", part, " = s.", part));
  return absl::StrCat(
      held_back ? absl::StrCat("WITH ", NearSql(from, condition, form, low), " ") : "", "SELECT ",
      Dotted("s", names), ", s.walduct_key, s.walduct_untouched OR coalesce((SELECT true FROM ",
      name, " o WHERE ", absl::StrJoin(equal, " AND "), " AND ", still,
      " FOR NO KEY UPDATE OF o SKIP LOCKED), false) FROM ",
      held_back
          ? "seen"
          : absl::StrCat("(",
                         FirstSql(absl::StrCat(from, condition, low.empty() ? "" : " AND o.", low),
                                  form, "$1::bigint"),
                         ")"),
      " s ORDER BY ", OrderSql("s"));
}

}  // namespace walduct::poll
