// NewTables: tables that are captured and that the stream has not brought whole since the stored
// position, or since the last look at the catalog: they were not captured, were other tables, or
// the publication did not name them for a while. The stream sends what is done to them from here
// on; what they have from before comes only with a snapshot, which is told, or asked for
// (walduct.snapshot.new.tables).
//
// What was captured goes with the stored position, as walduct_tables (known_tables.h). A table that
// begins to exist while the lists stay the same, under a publication for all tables or for its
// schema, is none of these: all its rows come with the stream. Data thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "incremental/incremental_snapshots.h"
#include "names/called.h"
#include "postgres/describe/catalog.h"
#include "replication/capture/capture_judge.h"
#include "replication/coverage.h"
#include "slot/duties/ledger.h"
#include "slot/incremental/table_gaps.h"
#include "slot/world/known/known_tables.h"

namespace walduct::slot {

// What brings the rows: "walduct signal execute-snapshot …".
std::string CommandFor(const TableGap& gap, const names::Called& called);
// What is shown until the table is read.
replication::CaptureFinding FindingOf(const Lack& lack, const names::Called& called);

class NewTables {
 public:
  using Names = std::vector<postgres::TableName>;
  struct Parts {
    std::string lists;         // include and exclude, as written
    std::string signal_table;  // schema.table, whose rows nobody wants
    std::string publication = {};
    names::Called called = {};                               // in commands to type
    bool reads = false;                                      // else they are told
    incremental::IncrementalSnapshots* snapshots = nullptr;  // borrowed; null: they are told
    std::function<std::string()> new_id = nullptr;           // of a signal
    Clock* clock = nullptr;                                  // borrowed; null: nobody asks when
    std::optional<absl::Time> since = {};  // of the stored position; absent: not known
    bool same_system = true;               // OIDs that were stored are of this server
    std::string wanted = "iudt";           // changes that are not skipped (replication::Coverage)
    // Asks for a look at the catalog, whose answer comes to Saw; again: also where all is as the
    // last look has found it. False, or null: nobody looks.
    std::function<bool(bool again)> look = nullptr;
    // Somebody has asked for all that is captured: the lists, or who makes the publication of them.
    bool asked_for = true;
    // Of rows that stay missing until the table is read: shown, and told again and again. Null:
    // nobody does, or false: they are told once.
    std::function<bool(const replication::CaptureFinding&)> lacks = nullptr;
    // They are not missing any more, or nobody's; "schema.table".
    std::function<void(const std::string&)> lacks_no_more = nullptr;
    // What the looks from then on are to tell the difference to (replication::Coverage).
    std::function<void(const std::string& seen)> seen = nullptr;
    Ledger* ledger = nullptr;  // borrowed; where what is captured is kept
    Names without_topic = {};  // their topics were deleted
  };
  // captured: now; absent: nobody is to ask, null. stored: the member of the position that is gone
  // on from; empty: all that are captured are known.
  static std::unique_ptr<NewTables> Create(
      Parts parts, const std::optional<std::vector<postgres::TableName>>& captured,
      const std::string& stored);

  // The members of several positions, as JSON, as one that knows the tables of all; empty: one of
  // them is not known, or there are too many tables to be kept.
  static std::string Merge(const std::vector<std::string>& members);

  // The stream is about to begin. coverage: of what was captured; absent: not known.
  void Begin(const std::optional<replication::Coverage>& coverage);
  // What is captured and sent by now, as somebody has found it in the catalog beside the stream;
  // after Begin. What was missed since the last look is told or read, once.
  // left_out: all tables of the database that the lists leave out, sorted.
  void Saw(const std::vector<postgres::TableName>& captured, const replication::Coverage& coverage,
           std::vector<Oid> left_out = {});
  // The stream has come to a captured table for the first time. renamed: in this stream it had a
  // name that is not captured.
  void Came(const postgres::TableName& table, bool renamed);
  // The stream brings changes of a captured table under a name that is not captured; was: as it was
  // called. They are lost where it gets that name again; where it keeps the other one, looks at the
  // catalog tell that.
  void Went(const postgres::TableName& was);
  // A snapshot has read it; "schema.table".
  void WasRead(const std::string& table);
  // The same, all of it, in views that show what the first one does: who looks later for what was
  // done before finds nothing missing.
  void WasReadWhole(Oid table, const incremental::TransactionView& first) { read_[table] = first; }

 private:
  NewTables(Parts parts, std::vector<postgres::TableName> captured);
  void Hold(const std::string& member);
  void ForgetOids();
  bool reads() const { return parts_.reads && parts_.snapshots != nullptr; }
  void Judge(const std::vector<postgres::TableName>& captured,
             const replication::Coverage& coverage);
  void TellSettings(const replication::Coverage& coverage) const;
  void KeepMissing(KnownTables* now);
  void Leave(const std::string& name, Oid relation, KnownTables* now) const;
  void TellStored();
  void TellDeleted();
  void ForgetLacks(KnownTables* now) const;
  void LeaveOutRead(const replication::Coverage& coverage, std::vector<TableGap>* gaps) const;
  bool Replace(const TableGap& gap);
  bool AddLack(const TableGap& gap);
  void Take(const std::vector<TableGap>& gaps, bool differs);
  void Tell(const TableGap& gap, bool is_read) const;
  void Ask(const TableGap& gap);
  // It had gone. True once for each time.
  bool IsBack(const postgres::TableName& table);
  void Keep(std::string member);

  const Parts parts_;
  const std::vector<postgres::TableName> captured_;  // at the start
  const std::string lists_;                          // a sum of them
  bool compares_ = false;                            // with what was stored, or seen before
  bool whole_ = false;  // tables come into the publication by themselves
  KnownTables known_;
  std::optional<std::vector<Oid>> left_out_;  // by the last look; sorted
  std::set<std::string> missing_;    // of those: they were not there when it was looked last
  std::optional<absl::Time> since_;  // it was so then
  std::set<Oid> told_;               // in this session
  std::map<Oid, incremental::TransactionView> read_;  // see WasReadWhole
  std::map<Oid, std::string> away_;                   // with the names that they had; see Went
  std::set<std::string> links_;                       // of partitions; told in this session
  int asked_ = 0;                                     // requests that are not taken yet
};

}  // namespace walduct::slot
