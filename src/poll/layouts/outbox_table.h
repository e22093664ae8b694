// OutboxTable: one outbox table as it is polled: what the catalog says of it, how its rows keep
// their state, and the two statements about them. Immutable once found.
//
// The claim takes no lock that outlasts it: whoever polls a table is its one owner (owner.h), and
// no transaction is open while a sink is waited for. It does ask for the lock of each row, so that
// it sees which rows others have: those stay, and later rows of their key with them. No row is
// changed before it is acknowledged.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "event/table_schema.h"
#include "poll/layouts/layout.h"
#include "postgres/connection.h"

namespace walduct::names {
struct TableFilterOptions;
}
namespace walduct::outbox {
struct OutboxOptions;
}

namespace walduct::poll {

// What a claim asks for, and which parameters that makes: $1, the most rows; then, in this order:
struct ClaimForm {
  // Without the rows of arrays of the columns of the primary key, and later rows of their keys.
  bool waits = false;
  // Without rows that were claimed before, and need not be marked yet; what else is open comes in
  // its order, also what was committed late. kKeys: arrays of the columns of the primary key.
  // kRange (of a table that has_ranges): the lowest id, the highest one, an array of those between
  // them that are not left out.
  enum class Beside : uint8_t { kNothing, kKeys, kRange } beside = Beside::kNothing;
  // The lowest id to look at (of a table that has_low_water).
  bool from = false;

  // The numbers of their first parameters; parts: columns of the primary key.
  size_t beside_at(size_t parts) const { return 2 + (waits ? parts : 0); }
  size_t from_at(size_t parts) const {
    const size_t left_out = beside == Beside::kKeys ? parts : beside == Beside::kRange ? 3 : 0;
    return beside_at(parts) + left_out;
  }
};

struct OutboxTable {
  Oid relation{};
  std::string name = {};  // "schema"."table"
  event::TableSchemaPtr schema = {};
  Layout layout = {};
  std::vector<LayoutColumn> columns = {};
  std::vector<std::string> key_names = {},
                           key_types = {};      // of the primary key: quoted, as SQL has them
  std::vector<int> key_at = {};                 // in the rows of a claim
  std::string archive = {};                     // as name; empty: rows are not moved
  std::vector<std::string> archive_makes = {};  // columns that it generates itself
  int born_at = -1;                             // the column of layout.born there; -1: none
  bool numbered = false;                        // the first of them has a sequence
  bool rises = false;                           // each number of it is higher than the last one
  bool numbers_itself = false;                  // no writer can take a number before it inserts
  std::vector<std::string> channels = {};       // that its triggers notify
  std::vector<absl::Status> warnings = {};      // of table_warnings.h: a start logs them

  // Columns of a claim's rows: those of schema, then what rows wait for one another by, unless it
  // is one of those, and whether nobody has the row.
  int order_key_column() const {
    return key_is_column() ? ColumnAt(layout.key) : static_cast<int>(schema->columns.size());
  }
  int free_column() const { return static_cast<int>(schema->columns.size()) + 1; }
  // The one that counts attempts; -1: none.
  int attempts_column() const { return ColumnAt(layout.attempts); }
  // Of "{name}", in a claim's rows; -1: none.
  int ColumnAt(const std::string& braced) const;
  // Rows that cannot be published are tried again and parked; else one stops the connector.
  bool counts_attempts() const { return !layout.attempts.empty(); }

  // Whether row o is of that worker's share: all rows of a key are.
  std::string ShareCondition(int64_t workers, int64_t worker) const;
  // Sorted as they are to be published.
  std::string ClaimSql(const std::string& where, const ClaimForm& form = {}) const;
  // The primary key is one integer, by which rows are ordered: it can be told by ranges.
  bool has_ranges() const;
  // Rows are ordered by an integer that rises: there may be an id behind which nothing is open.
  bool has_low_water() const;
  // $1: an id. Answers the first one from there on whose row is open, and who may yet commit a row
  // with an id that was there before: names, with spaces between. ranged: but for a range, as
  // ClaimForm has it.
  std::string LowWaterSql(const std::string& where, bool ranged = false) const;
  // Rows by their primary keys. $1 …: kKeys: arrays of its columns; kRange: as ClaimForm has it.
  enum class Chosen : uint8_t { kKeys, kRange };
  // Changes or moves those that are open. ChangedBy says how many there were.
  postgres::Statement Done(Chosen chosen = Chosen::kKeys) const;
  // The same of all, for who has looked; answers how many.
  std::string DoneAlsoAsideSql() const;
  // Answers how many of these rows are open.
  std::string StillOpenSql(Chosen chosen = Chosen::kKeys) const;
  // Arrays of the columns of the primary key, then one of errors and one of milliseconds to the
  // next attempt. Answers how many rows it has changed, and how many of them have used their
  // attempts up.
  std::string FailedSql(int64_t max_attempts) const;
  // Answers how many rows are to be published, how many are parked, and how old the oldest of the
  // former is, in seconds.
  std::string BacklogSql(const std::string& where) const;

  // Whether the row is one of the arrays' keys; first: the number of their first parameter.
  std::string KeysSql(absl::string_view alias, size_t first) const;
  // The same of many, which the planner does not estimate one by one.
  std::string HashedKeysSql(absl::string_view alias, size_t first) const;
  // As in ORDER BY: in which order rows are published.
  std::string OrderSql(absl::string_view alias) const;

 private:
  bool key_is_column() const { return layout.xact.empty() && ColumnAt(layout.key) >= 0; }
  std::string MovedSql(const std::string& chosen) const;
  std::string ChangeSql(const std::string& chosen) const;
  // The columns of OrderSql, each once.
  std::vector<std::string> OrderNames() const;
  std::string NearSql(const std::string& from, const std::string& ready, const ClaimForm& form,
                      const std::string& low) const;
  std::string BarriersSql(const ClaimForm& form, const std::string& bound) const;
  // Whether the row is one of those beside.
  std::string LeftOutSql(absl::string_view alias, const ClaimForm& form) const;
  std::vector<std::string> ApartSql(absl::string_view alias, const ClaimForm& form) const;
  // Of a SELECT up to its condition: the first rows that are not in the range beside.
  std::string FirstSql(const std::string& from, const ClaimForm& form,
                       absl::string_view limit) const;
  // Whether row o is one of them, which are the first parameters, and open.
  std::string ChosenSql(Chosen chosen) const;
};

// Of the answer to Done.
uint64_t ChangedBy(const postgres::Result& answer);

// Of the answer to another one of these; 0: it is no number.
uint64_t NumberAt(const postgres::Result& rows, int column);

// The tables of a connector, and what to warn of. FailedPrecondition: those of RecogniseLayout, and
//   outbox_no_tables    none matches
//   outbox_no_key       a table without a primary key
//   outbox_unlogged     its rows do not outlast a crash of the server
//   outbox_no_archive   its archive is not there, or lacks columns
//   permission_denied   the role may not mark or delete rows
//   outbox_of_subscription  with a position: rows have the numbers of another server
absl::StatusOr<std::vector<OutboxTable>> FindOutboxTables(postgres::Connection& connection,
                                                          const names::TableFilterOptions& captured,
                                                          const outbox::OutboxOptions& options);

}  // namespace walduct::poll
