#include "replication/slots/table_moves.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "replication/publication/publication.h"
#include "replication/publication/publication_catalog.h"
#include "replication/publication/publication_errors.h"
#include "replication/publication_name.h"
#include "replication/slots/slot_catalog.h"

namespace walduct::replication {
namespace {

using postgres::QuoteIdentifier;

constexpr int kFirstWithFilters = 150000;

// Writers of a table wait behind whoever waits for its lock; and no deadlock is looked for before
// deadlock_timeout, a second.
constexpr int kBriefMs = 500;
// Beyond deadlock_timeout, where an autovacuum is to yield; no server's is waited for longer.
constexpr int kYieldsMs = 500, kLongestMs = 10'000;

// What a publication has beside its name and its tables.
constexpr absl::string_view kForm = R"(
SELECT (pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.-)
        '{oid,pubname,pubowner}'::pg_catalog.text[])::pg_catalog.text,
  coalesce(pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubgencols', '')
FROM pg_catalog.pg_publication p WHERE p.pubname = $1)";

constexpr absl::string_view kFilters = R"(
SELECT r.prrelid,
  coalesce((SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY k.n)
            FROM pg_catalog.unnest(r.prattrs::pg_catalog.int2[]) WITH ORDINALITY k(attnum, n)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = r.prrelid AND a.attnum = k.attnum), ''),
  coalesce(pg_catalog.pg_get_expr(r.prqual, r.prrelid), '')
FROM pg_catalog.pg_publication_rel r
JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid WHERE p.pubname = $1)";

// Whoever keeps writers, or us, from these tables and their partitions. What a role may not see of
// a session is null; only an autovacuum has no user.
constexpr absl::string_view kHolders = R"(
WITH RECURSIVE tree(oid) AS (
  SELECT w.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN tree ON tree.oid = i.inhparent),
holders AS (
  SELECT l.relation, a.pid, a.usename, a.application_name, a.xact_start, coalesce(a.backend_type,
    CASE WHEN a.pid IS NOT NULL AND a.usesysid IS NULL THEN 'autovacuum worker' END) AS type
  FROM pg_catalog.pg_locks l JOIN tree ON tree.oid = l.relation
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
  WHERE l.granted AND l.mode NOT IN ('AccessShareLock', 'RowShareLock')
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d
                      WHERE d.datname = pg_catalog.current_database())
    AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid())
)";
constexpr absl::string_view kNameHolders = R"(
SELECT DISTINCT CASE WHEN pid IS NULL THEN 'a prepared transaction'
  ELSE pg_catalog.concat('pid ', pid, ' of ' || usename, ' (', pg_catalog.concat_ws(', ', type,
    'application "' || nullif(application_name, '') || '"',
    'since ' || pg_catalog.date_trunc('second', xact_start)), ')') END
FROM holders LIMIT 5)";
// The tables that one has, and deadlock_timeout in milliseconds.
constexpr absl::string_view kVacuumed = R"(
SELECT DISTINCT pg_catalog.format('%I.%I', n.nspname, c.relname), s.setting
FROM holders JOIN pg_catalog.pg_class c ON c.oid = holders.relation
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, pg_catalog.pg_settings s
WHERE holders.type = 'autovacuum worker' AND s.name = 'deadlock_timeout' LIMIT 5)";

std::string NameOf(const PublishedTable& table) {
  return absl::StrCat(table.has_children ? "ONLY " : "",
                      postgres::QuoteQualified(table.schema, table.table));
}

std::string NameOf(const SlotsChange& change, int slot) {
  return change.share.publications[static_cast<size_t>(slot) - 1];
}

absl::Status Missing(absl::string_view publication) {
  return Error(absl::StatusCode::kFailedPrecondition, "publication_missing",
               absl::StrCat("publication ", QuoteIdentifier(publication),
                            " is missing: which tables its slot reads is not known"),
               "make it again with the tables that it had; or, before tables are on their way, set "
               "walduct.slots back: a start makes it anew");
}

struct Form {
  std::string text;
  bool stored_generated_columns = false;
};

absl::StatusOr<std::optional<Form>> ReadForm(postgres::Connection& connection,
                                             absl::string_view name) {
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(2), kForm, {std::string(name)}));
  if (result.rows() == 0) return std::nullopt;
  return Form{.text = std::string(result.Get(0, 0)),
              .stored_generated_columns = result.Get(0, 1) == "s"};
}

// Records would change with the slot that they come through.
absl::Status CheckSameForm(postgres::Connection& connection, const std::string& a,
                           const std::string& b) {
  ASSIGN_OR_RETURN(const auto one, ReadForm(connection, a));
  ASSIGN_OR_RETURN(const auto other, ReadForm(connection, b));
  if (one && other && one->text == other->text) return absl::OkStatus();
  const std::string names = absl::StrCat(QuoteIdentifier(a), " and ", QuoteIdentifier(b));
  return Error(absl::StatusCode::kFailedPrecondition, "publications_differ",
               one && other ? absl::StrCat("the publications ", names, " differ: ", one->text,
                                           " and ", other->text)
                            : absl::StrCat("of the publications ", names, " one is missing"),
               absl::StrCat("tables are about to go from one to the other: ALTER PUBLICATION … SET "
                            "(…) makes them alike"));
}

absl::Status CheckNotApart(const TableOfSlots& table, int slot, const NamedIn& named,
                           const SlotsChange& change) {
  for (const Oid parent : table.parents) {
    const auto found = named.find(parent);
    if (found == named.end() || found->second.contains(slot)) continue;
    const std::string publication = QuoteIdentifier(NameOf(change, slot));
    return Error(absl::StatusCode::kFailedPrecondition, "partition_apart",
                 absl::StrCat("table ", table.name, " is a partition of ", table.root_name,
                              ", and publication ", publication, " names it beside that of its ",
                              "root: while tables go to other slots it would come twice"),
                 absl::StrCat("ALTER PUBLICATION ", publication, " DROP TABLE ", table.name,
                              "; then start again: it comes with its root"));
  }
  return absl::OkStatus();
}

// The suffixes of ADD TABLE.
absl::StatusOr<std::map<Oid, std::string>> ReadSuffixes(postgres::Connection& connection,
                                                        const std::string& publication) {
  std::map<Oid, std::string> suffixes;
  if (connection.server_version() < kFirstWithFilters) return suffixes;
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(3), kFilters, {publication}));
  for (int row = 0; row < result.rows(); ++row) {
    const absl::string_view columns = result.Get(row, 1), filter = result.Get(row, 2);
    std::string suffix;
    if (!columns.empty()) absl::StrAppend(&suffix, " (", columns, ")");
    if (!filter.empty()) absl::StrAppend(&suffix, " WHERE (", filter, ")");
    suffixes.emplace(postgres::ParseOid(result.Get(row, 0)), std::move(suffix));
  }
  return suffixes;
}

// What a question about who has these tables finds.
absl::StatusOr<postgres::Result> AskOfHolders(postgres::Connection& connection,
                                              const TableMove& move, int columns,
                                              absl::string_view question) {
  std::vector<Oid> oids;
  for (const MovedTable& moved : move.tables) oids.push_back(moved.table.relation);
  return connection.Query(postgres::Rows(columns), absl::StrCat(kHolders, question),
                          {postgres::OidArray(oids)});
}

std::string NameHolders(postgres::Connection& connection, const TableMove& move) {
  const auto found = AskOfHolders(connection, move, 1, kNameHolders);
  std::vector<absl::string_view> names;
  for (int row = 0; found.ok() && row < found->rows(); ++row) names.push_back(found->Get(row, 0));
  return names.empty() ? "writers come and go" : absl::StrJoin(names, ", ");
}

std::string SetTimeout(int lock_timeout_ms) {
  return absl::StrCat("SET LOCAL lock_timeout = ", lock_timeout_ms,
                      "; SET LOCAL synchronous_commit = local; ");
}

// Waits for each table that an autovacuum has, by itself: a move that waits so long keeps its other
// tables locked, and could make a circle with who writes to them.
void LetVacuumsYield(postgres::Connection& connection, const TableMove& move) {
  const auto found = AskOfHolders(connection, move, 2, kVacuumed);
  for (int row = 0; found.ok() && row < found->rows(); ++row) {
    const int yields = postgres::ParseInt(found->Get(row, 1), kLongestMs) + kYieldsMs;
    if (yields > kLongestMs) continue;
    const absl::Status yielded =
        connection.Run(absl::StrCat(SetTimeout(yields), "LOCK TABLE ONLY ", found->Get(row, 0),
                                    " IN SHARE ROW EXCLUSIVE MODE"));
    if (!yielded.ok()) log::Debug("an autovacuum did not yield", {{"why", yielded.message()}});
  }
}

std::string Names(const TableMove& move) {
  return absl::StrJoin(move.tables, ", ", [](std::string* out, const MovedTable& moved) {
    *out += NameOf(moved.table);
  });
}

// All slots' publications with their resolved names.
absl::StatusOr<SlotsChange> Resolved(postgres::Connection& connection, SlotsChange change) {
  for (std::string& name : change.share.publications) {
    ASSIGN_OR_RETURN(name, ResolvePublicationName(connection, name));
  }
  return change;
}

}  // namespace

int SlotAfterChange(const TableOfSlots& table, int slot, const SlotsChange& change) {
  const bool more = change.to() > change.from;
  if (more ? slot > change.from : slot <= change.to()) return slot;
  const int wanted = SlotOfNewTable(table.root_name, change.share);
  return more && wanted <= change.from ? slot : wanted;
}

absl::StatusOr<std::vector<TableMove>> FindMoves(postgres::Connection& connection,
                                                 const SlotsChange& change,
                                                 const std::vector<postgres::TableName>& captured) {
  RETURN_IF_ERROR(CheckServerKnowsSlots(connection));
  ASSIGN_OR_RETURN(const std::vector<SlotPublication> all,
                   ReadSlotPublications(connection, change.share));
  for (int slot = 1; slot <= change.from; ++slot) {
    const SlotPublication& publication = all[static_cast<size_t>(slot) - 1];
    if (!publication.state) return Missing(publication.name);
    if (slot > 1) RETURN_IF_ERROR(CheckSameForm(connection, all.front().name, publication.name));
  }
  ASSIGN_OR_RETURN(const std::vector<TableOfSlots> tables, WithParents(connection, captured));
  ASSIGN_OR_RETURN(const std::vector<PublishedTable> publishable,
                   PublishableTables(connection, captured));
  std::map<Oid, const PublishedTable*> by_relation;
  for (const PublishedTable& table : publishable) by_relation.emplace(table.relation, &table);
  const NamedIn named = NamesOf(all);
  ASSIGN_OR_RETURN(const std::vector<int> slots, Distribute(tables, named, change.share));
  std::map<std::pair<std::string, int>, TableMove> moves;  // by root and slot
  for (size_t i = 0; i < tables.size(); ++i) {
    const TableOfSlots& table = tables[i];
    const auto publishes = by_relation.find(table.relation);
    if (!named.contains(table.relation) || publishes == by_relation.end()) continue;
    RETURN_IF_ERROR(CheckNotApart(table, slots[i], named, change));
    const int wanted = SlotAfterChange(table, slots[i], change);
    if (wanted == slots[i]) continue;
    TableMove& move = moves[{table.root_name, slots[i]}];
    move.from = slots[i];
    move.to = wanted;
    move.tables.push_back({.table = *publishes->second, .suffix = {}});
  }
  std::map<int, std::map<Oid, std::string>> suffixes;
  std::vector<TableMove> found;
  for (auto& [key, move] : moves) {
    if (!suffixes.contains(move.from)) {
      ASSIGN_OR_RETURN(suffixes[move.from],
                       ReadSuffixes(connection, all[static_cast<size_t>(move.from) - 1].name));
    }
    for (MovedTable& moved : move.tables) moved.suffix = suffixes[move.from][moved.table.relation];
    found.push_back(std::move(move));
  }
  return found;
}

std::string MoveSql(const TableMove& move, absl::string_view from, absl::string_view to) {
  const std::string names = Names(move);
  const std::string added =
      absl::StrJoin(move.tables, ", ", [](std::string* out, const MovedTable& moved) {
        absl::StrAppend(out, NameOf(moved.table), moved.suffix);
      });
  return absl::StrCat("LOCK TABLE ", names, " IN SHARE ROW EXCLUSIVE MODE; ", "ALTER PUBLICATION ",
                      QuoteIdentifier(from), " DROP TABLE ", names, "; ", "ALTER PUBLICATION ",
                      QuoteIdentifier(to), " ADD TABLE ", added);
}

absl::Status MoveTables(postgres::Connection& connection, const SlotsChange& given,
                        const TableMove& move, LockWait wait) {
  ASSIGN_OR_RETURN(const SlotsChange change, Resolved(connection, given));
  const std::string from = NameOf(change, move.from), to = NameOf(change, move.to);
  RETURN_IF_ERROR(CheckSameForm(connection, from, to));
  const std::string sql = MoveSql(move, from, to);
  if (wait == LockWait::kUntilVacuumYields) LetVacuumsYield(connection, move);
  const absl::Status moved = connection.Run(absl::StrCat(SetTimeout(kBriefMs), sql));
  const std::string reason = ErrorReason(moved);
  if (moved.ok() || LostRace(moved)) return moved;
  if (reason != "lock_timeout" && reason != "transaction_rolled_back")
    return ExplainSlotsPublicationError(moved, to, sql);
  return Error(
      absl::StatusCode::kDeadlineExceeded, "tables_locked",
      absl::StrCat(Names(move), " cannot be locked for the moment in which it goes from ", "slot ",
                   move.from, " to slot ", move.to, ": ", NameHolders(connection, move)),
      "nothing to do where transactions end soon: it is tried again; else end the session "
      "that is named");
}

absl::Status MakeEmptyPublications(postgres::Connection& connection, const SlotsChange& given) {
  ASSIGN_OR_RETURN(const SlotsChange change, Resolved(connection, given));
  ASSIGN_OR_RETURN(const auto first, ReadPublication(connection, NameOf(change, 1)));
  ASSIGN_OR_RETURN(const auto form, ReadForm(connection, NameOf(change, 1)));
  if (!first || !form) return Missing(NameOf(change, 1));
  PublicationWish wish{.mode = PublicationAutocreate::kNoTables,
                       .tables = {},
                       .operations = first->operations,
                       .via_partition_root = first->via_partition_root};
  std::vector<std::string> statements;
  for (int slot = change.from + 1; slot <= change.to(); ++slot) {
    const std::string name = NameOf(change, slot);
    ASSIGN_OR_RETURN(const auto there, ReadPublication(connection, name));
    if (there) continue;
    statements.push_back(CreatePublicationSql(name, wish));
    if (form->stored_generated_columns) {
      statements.push_back(absl::StrCat("ALTER PUBLICATION ", QuoteIdentifier(name),
                                        " SET (publish_generated_columns = stored)"));
    }
  }
  if (statements.empty()) return absl::OkStatus();
  const std::string sql = absl::StrJoin(statements, "; ");
  const absl::Status made = connection.Run(absl::StrCat(SetTimeout(kBriefMs), sql));
  return made.ok() ? made : ExplainSlotsPublicationError(made, NameOf(change, change.to()), sql);
}

absl::StatusOr<bool> DropPublication(postgres::Connection& connection, absl::string_view name) {
  ASSIGN_OR_RETURN(const std::string resolved, ResolvePublicationName(connection, name));
  const absl::Status dropped =
      connection.Run(absl::StrCat("DROP PUBLICATION IF EXISTS ", QuoteIdentifier(resolved)));
  if (absl::IsPermissionDenied(dropped)) return false;
  RETURN_IF_ERROR(dropped);
  return true;
}

}  // namespace walduct::replication
