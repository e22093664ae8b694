// FindGaps: which captured tables the stream has not brought whole since a position was stored, or
// since the catalog was looked at last: what was done to them while they were other tables, or the
// publication did not name them, was sent by nobody. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "incremental/chunks/chunk.h"
#include "postgres/describe/catalog.h"
#include "replication/coverage.h"
#include "slot/world/known/known_tables.h"

namespace walduct::slot {

struct TableGap {
  enum class Kind {
    kNew,           // it was not captured
    kAnew,          // it is another table than the one of that name
    kBack,          // what names it in the publication is another
    kPlaced,        // all of it was sent, but some of it under another name
    kMoved,         // the same, perhaps: its schema was renamed, or its rights were changed
    kAway,          // it had a name for a while that is not captured, and has its own again
    kUnlisted,      // it was captured, and the lists left it, or its new name, out for a while
    kLogged,        // it, or a partition of it, was not in the WAL
    kRewritten,     // it is new, and has got other files: perhaps it was not in the WAL before
    kAttached,      // a table with rows has become a partition of it
    kLess,          // the publication has sent fewer kinds of changes, or may have
    kDeletedTopic,  // its topic was deleted, or emptied, with what was sent
    kReplaced,      // it is another one, and all of it is sent: no gap
  };
  Kind kind = Kind::kNew;
  postgres::TableName table;
  Oid was{};                   // kAnew, kReplaced, kUnlisted
  std::string partition = {};  // kAttached: its name
  std::string condition = {};  // kAttached: which rows are its own
  std::string link = {};       // kAttached: see replication::Coverage
  bool listed = true;          // kNew: the lists had it already
  bool by_settings = false;    // kBack: those of the publication were changed, which ended it
};

// Who has read the table in that view, and in later ones, has seen all that was done in the gap.
// False where it is not known what ended it.
bool EndedBefore(const TableGap& gap, const replication::Coverage& coverage,
                 const incremental::TransactionView& view);

// Rows may have been deleted meanwhile, which no snapshot tells.
bool MayLackDeletes(TableGap::Kind kind);

std::string NameOf(const postgres::TableName& table);  // see postgres::TableKey
// Null: none. Positions that were once stored have a dotted schema by "schema.table".
const KnownTable* FindKnown(const KnownTables& known, const postgres::TableName& table);

// same_lists: include and exclude are those of `known`.
std::vector<TableGap> FindGaps(const KnownTables& known, bool same_lists,
                               const std::vector<postgres::TableName>& captured,
                               const replication::Coverage& coverage);

// The publication has another name. That is what has written its row: where it was altered, too,
// and altered back, nothing tells.
bool WasRenamed(const KnownTables& known, const replication::Coverage& now);

// The publication sends kinds of changes again that it, or the one before it, did not send, or was
// altered under its name and is as it was: all tables that have no gap in `gaps` get one. wanted:
// letters of changes that are not skipped.
void AddNarrower(const KnownTables& known, const std::vector<postgres::TableName>& captured,
                 const replication::Coverage& coverage, absl::string_view wanted,
                 std::vector<TableGap>* gaps);

// What is to be known from then on: what is captured and sent. What is captured, and not sent now,
// stays as it was.
KnownTables KnowNow(const KnownTables& known, const std::vector<postgres::TableName>& captured,
                    const replication::Coverage& coverage);

// What the lists leave out from now on lacks rows where it comes back, under any name: it is in
// `now` as one that has left. left_out: OIDs of all tables that they leave out now, sorted; null:
// not known.
void KeepLeft(const KnownTables& known, const std::vector<Oid>* left_out, KnownTables* now);

// "table was created anew: …", without what is done about it; kReplaced: whole.
std::string DescribeGap(TableGap::Kind kind);

// Of the publication's settings: that it sends less than it did, or that somebody has altered them
// and altered them back; empty: neither. wanted: letters of changes that are not skipped.
std::string DescribeSettings(const KnownTables& known, const replication::Coverage& now,
                             absl::string_view wanted);

// What gives the publication back what DescribeSettings misses; empty: it has all of it, or was
// altered so that captured tables are sent as they should be.
std::string SettingsBack(const KnownTables& known, const replication::Coverage& now,
                         absl::string_view publication);

}  // namespace walduct::slot
