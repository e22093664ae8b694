// What the lists admit, against what the publication sends: what a start has found right and is not
// right any more, in both directions. Pure.
//
// A table that is admitted and does not come is a loss where somebody has asked for it: the lists
// are written, the publication is made of them, or it has come before. Else the publication is what
// chooses, and it is only worth knowing. A publication that is narrower than whole from the
// beginning (a row filter, a column list, inserts alone, no FULL) is meant to be; one that becomes
// narrower while it is read is told of.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "names/called.h"
#include "replication/capture/capture_facts.h"
#include "replication/publication/publication_sql.h"

namespace walduct::names {
struct TableFilterOptions;
}

namespace walduct::replication {

struct SlotShare;

struct CaptureWish {
  // Of the lists; borrowed.
  const std::function<bool(const TableFacts&)>* admits = nullptr;
  const SlotShare* share = nullptr;  // borrowed
  bool lists_given = false;          // something is written in them
  bool filtered = false;             // a start makes the publication of what they admit
  bool follows = false;              // and so it is while the stream is read
  bool may_be_empty = true;          // lists that match no table at all are meant
  // Changes that are not skipped.
  bool inserts = true, updates = true, deletes = true, truncates = false;
  std::string signal_table = {};     // "schema.table"; empty: none
  std::string heartbeat_query = {};  // what it writes is meant to be sent
  std::string role = {};             // walduct's, which writes into that; empty: not known
  bool deletes_signals = false;      // and deletes from it
  names::Called called = {};         // for commands to type
  std::string include_list = {};     // table.include.list, where no other list is given
  const names::TableFilterOptions* lists = nullptr;  // borrowed; null: no entry is looked for
  // Of the lists of other connectors that are known to read by the publication; borrowed; null: of
  // none.
  const std::function<bool(const TableFacts&)>* others_admit = nullptr;
  // By which other connectors read that are known, of databases of that name.
  std::set<std::string> publications_of_others = {};
};

// What has come so far. Outlives sessions.
struct CaptureMemory {
  struct Table {
    Oid relation{};
    SentIdentity identity{};
    std::string filter;
    bool all_columns = true;
    bool refuses = false;    // the server refused writes of it from the beginning
    bool from_start = true;  // else it came later, as what comes and goes does
    bool partition = false;  // of a table: it goes when its rows are old
    bool bare = false;       // what it was sent like is not known, but which table it was
  };
  std::map<std::string, Table> tables;     // by the name that they are sent under
  std::map<std::string, Oid> before = {};  // as the stored position has them; of an earlier start
  // The same of tables, "schema.table", that the lists leave out now.
  std::map<std::string, Oid> left = {};
  Oid read_by{};  // the publication by which the stored position was read; 0: it is not known
  // Of the publication.
  Oid publication{};
  bool begun = false;
  bool inserts = false, updates = false, deletes = false, truncates = false;
  bool all_tables = false, via_root = false, generated = false;
};

struct CaptureFinding {
  std::string reason;
  std::string table = {};       // see postgres::TableKey; empty: it is of the publication
  std::string detail = {};      // what is to be known of this one; empty: nothing
  std::string statement = {};   // to be typed; empty: none helps
  bool loses = true;            // else it is worth knowing
  bool at_once = false;         // no migration looks like this on its way
  std::string argument = {};    // the table as `walduct signal` takes it; empty: as it stands
  std::string renamed_to = {};  // the name that it has now, or is meant, as lists have it
  std::string read_with = {};   // a snapshot of that table ends it; empty: of none
  Oid relation = {};            // the table, which is to be read then; 0: none is
  bool lists_first = false;     // they may be wrong: the statement would make it worse
  bool role_may = true;         // walduct's role may do it; else the owner, or a superuser
  bool on_standby = false;      // nobody may, but on the primary
  // The statement alters the publication that is named, and what was read before is this one, which
  // is there; empty: it is the same, or none is known.
  std::string read_before = {};
  bool of_others = false;     // another connector reads by the publication
  std::string property = {};  // the list that has an entry; empty: it is said by the reason
  bool keyless = false;       // an incremental snapshot leaves the table out
};

struct CaptureVerdict {
  std::vector<CaptureFinding> findings;
  std::vector<PublishedTable> uncovered;  // what the publication has to get for the lists
  std::map<Oid, Oid> captured;            // tables with rows, and what they come as
  std::set<Oid> elsewhere;                // admitted, and other slots'
};

CaptureVerdict JudgeCapture(const CaptureFacts& facts, const CaptureWish& wish,
                            const CaptureMemory& memory);

// What is right now is what was right from now on.
void RememberCapture(const CaptureFacts& facts, const CaptureWish& wish,
                     const CaptureVerdict& verdict, CaptureMemory* memory);

}  // namespace walduct::replication
