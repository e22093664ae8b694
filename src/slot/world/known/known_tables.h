// KnownTables: which tables a connector captured, as it goes with each stored position, under
// walduct_tables: their names, which table each of them was, and what named it in the publication.
//
//   {"lists":"…","tables":["public.a","public.b"],"oids":"g2k g2p.g3a g2r.g3b"}
//   {"lists":"…","packed":"g2k 0 8 public.ag2p.g3a 7 1 bg2r.g3b "}
//
// OIDs are to the base of 36: of the publication and of what names others in it, then of each table
// and of what names it. The second form is for more tables than the first has room for: a name is
// how much it shares with the one before, the length of its rest, and the rest. Without "oids", as
// it was once written, names alone are known. "called" is the publication's name, "settings" are
// those of the publication, "seen" what was running when it was looked last, "unlogged" the tables
// that were not in the WAL then, "lacks" what nobody has sent of tables that no snapshot has read
// since, "left" the tables that were captured, with their OIDs, and that the lists have left out
// since, where there is room for them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "event/offset_members.h"

namespace walduct::slot {

struct KnownTable {
  // In the place of what names a table that is sent under another name meanwhile.
  static constexpr Oid kElsewhere{};

  Oid relation{};  // 0: not known
  std::vector<Oid> named_by = {};
  bool unlogged = false;  // it was not in the WAL, whole or in part
  bool is_elsewhere() const { return named_by == std::vector{kElsewhere}; }
  bool operator==(const KnownTable&) const = default;
};

// What was done to a table while it did not come: [why, schema, table, partition, condition].
struct Lack {
  std::string why;  // see WhyOf
  std::string schema, table;
  std::string partition = {}, condition = {};  // of one that was attached
  bool operator==(const Lack&) const = default;
};

struct KnownTables {
  // A name's form in the map, and the longest member.
  static constexpr size_t kLongestNames = size_t{16} << 10;
  static constexpr size_t kLongest = size_t{256} << 10;
  static constexpr size_t kMostLacks = 500;  // the rest is forgotten by the next start
  static constexpr size_t kMostLeft = 500;

  std::string lists = {};                         // a sum of include and exclude
  Oid publication{};                              // 0: what named them is not known
  std::string called = {};                        // its name; empty: not known
  std::vector<Oid> names_others = {};             // see replication::Coverage
  std::string settings = {};                      // of the publication, as there; empty: not known
  std::string seen = {};                          // see replication::Coverage; empty: not known
  std::map<std::string, KnownTable> tables = {};  // by "schema.table"
  std::vector<Lack> lacks = {};
  std::map<std::string, Oid> left = {};  // by name, as above; 0: not known
  bool operator==(const KnownTables&) const = default;
};

// A JSON string, as Connect takes only primitives in an offset; empty: too long to be kept.
std::string EncodeKnownTables(const KnownTables& known);
// Absent: damaged.
std::optional<KnownTables> DecodeKnownTables(absl::string_view member);

// What goes with a stored position; nothing where none of it is known.
KnownTables KnownTablesIn(const event::OffsetMembers& members);

// The tables of both; what named them is of different publications, and not known any more.
void MergeKnownTables(KnownTables from, KnownTables* into);

}  // namespace walduct::slot
