// NewTables: tables that are captured now and were not when the stored position was stored. The
// stream sends what is done to them from here on; rows that they had before come only with a
// snapshot, which is told, or asked for (walduct.snapshot.new.tables).
//
// What was captured goes with the stored position, as walduct_tables: {"lists":…,"tables":[…]}.
// A table that begins to exist while the lists stay the same and the publication is for all tables
// is none of these: all its rows come with the stream. Data thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "incremental/incremental_snapshots.h"
#include "postgres/catalog.h"

namespace walduct::engine {

class NewTables {
 public:
  static constexpr char kMember[] = "walduct_tables";

  struct Parts {
    std::string lists;         // include and exclude, as written
    std::string signal_table;  // schema.table, whose rows nobody wants
    bool reads = false;        // else they are told
    incremental::IncrementalSnapshots* snapshots = nullptr;  // borrowed; null: they are told
    std::function<std::string()> new_id = nullptr;           // of a signal
  };
  // captured: now; absent: nobody is to ask, null. stored: of the position that is gone on from;
  // null, or without a member: all that are captured are known.
  static std::unique_ptr<NewTables> Create(
      Parts parts, const std::optional<std::vector<postgres::TableName>>& captured,
      const incremental::OffsetMembers* stored);

  // The members of several positions, as JSON, as one that knows the tables of all; empty: one of
  // them is not known, or there are too many tables to be kept.
  static std::string Merge(const std::vector<std::string>& members);

  // The stream is about to begin. published: the tables that its publication names, with their
  // partitions; absent: it names none but whole schemas, or is for all tables.
  void Begin(const std::optional<std::set<Oid>>& published);
  // The stream has come to a table that the publication got since it began; once each.
  void Came(const postgres::TableName& table);

  // The member for a position of that mark, as JSON; empty: too many tables to be kept.
  const std::string& At(uint64_t mark);

 private:
  NewTables(Parts parts, std::vector<postgres::TableName> captured);
  void Hold(const std::string* member);
  bool reads() const { return parts_.reads && parts_.snapshots != nullptr; }
  void Take(const postgres::TableName& table);
  void Keep(uint64_t mark);

  const Parts parts_;
  const std::vector<postgres::TableName> captured_;
  std::optional<std::string> lists_before_;  // absent: nothing was stored
  std::set<std::string> known_;
  std::deque<std::pair<uint64_t, std::string>> states_;  // by mark, ascending
};

}  // namespace walduct::engine
