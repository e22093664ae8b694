// Router: decides what a change publishes: which topic, which key, one record or several, or
// nothing. Makes no bytes.
//
//   insert            c
//   update            u; key changed: d (old key, header newkey), tombstone, c (new key, header
//                     oldkey)
//   delete            d, tombstone
//   truncate          t with a null key
//   snapshot row      r
//   logical message   m to <prefix>.message
//   begin, commit     a record of the transaction topic each, with provide.transaction.metadata
//
// skipped.operations is asked for each published operation, so that half of a key change can be
// left out; a tombstone goes with its d. The key has changed when the server sent an old row and a
// key column of it differs from the new row. A replica identity that is an index without the key's
// columns sends old rows without them: each such update then counts as a key change.
//
// message.key.columns replaces a table's key, for the choice of the key as for the detection of its
// changes. skip.messages.without.change drops an update whose old and new row are published alike;
// only REPLICA IDENTITY FULL sends the old row. Of a partitioned table whose partitions have not
// all that identity, an update is dropped when no column at all has changed. An update that changes
// the key is never dropped by it.
//
// Thread-safety: none; one per pipeline. Emissions borrow the change and this router's topic names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "base/swept_map.h"
#include "event/change_handler.h"
#include "event/emission.h"
#include "event/record_comparison.h"
#include "route/topic_naming.h"
#include "route/transaction_counter.h"

namespace walduct::names {
class TableFilter;
}  // namespace walduct::names

namespace walduct::route {

struct RouteOptions;

class Router {
 public:
  using Emissions = absl::InlinedVector<event::Emission, 4>;

  // Changes that published nothing, by the rule that dropped them.
  struct Counters {
    uint64_t filtered_tables = 0;  // the table is not captured
    uint64_t skipped_creates = 0;  // skipped.operations
    uint64_t skipped_updates = 0;
    uint64_t skipped_deletes = 0;
    uint64_t skipped_truncates = 0;
    uint64_t unchanged_updates = 0;  // skip.messages.without.change
    uint64_t filtered_messages = 0;  // message.prefix lists
  };

  // filter and comparison are borrowed and must outlive the router. Without a comparison texts are
  // compared.
  Router(RouteOptions options, const names::TableFilter& filter,
         event::RecordComparison* comparison = nullptr);

  // Clears out, then appends what the change publishes, in order. Nothing appended: dropped by a
  // rule and counted.
  //   DataLoss  a change lacks the row that its operation needs
  absl::Status Route(const event::ChangeEvent& change, Emissions* out);

  // The records of a transaction's begin and commit, end being its end LSN; nothing without
  // provide.transaction.metadata. What is routed between the two is numbered. They are valid until
  // the next call.
  void RouteBegin(const event::TransactionInfo& transaction, Emissions* out);
  void RouteCommit(const event::TransactionInfo& transaction, Lsn end, Emissions* out);
  // Numbers what the change had published before a restart, without publishing it again.
  absl::Status Recount(const event::ChangeEvent& change);
  event::Emission Heartbeat() const;

  const Counters& counters() const { return counters_; }
  size_t known_tables() const { return tables_.size(); }

 private:
  struct Table {
    bool captured = false;
    std::string topic;
    Collection collection;
  };

  static constexpr size_t kSweptVersions = 256;
  // Fewer tables are never forgotten.
  static constexpr size_t kSweptTables = 256;
  // One version of a table.
  struct Version {
    std::shared_ptr<Table> table;
    event::KeyRule key;
    bool captured = false;  // and not another slot's
  };

  absl::Status RouteRow(const event::ChangeEvent& change, Emissions* out);
  void RouteMessage(const event::ChangeEvent& change, Emissions* out);
  const Version& VersionOf(const event::TableSchema& schema);
  std::shared_ptr<Table> TableByName(const event::TableSchema& schema);
  void ForgetUnusedTables();
  event::KeyRule KeyOf(const event::TableSchema& schema, bool captured) const;
  bool KeyChanged(const event::Emission& emission) const;
  bool IsUnchanged(const event::Emission& emission) const;
  void WarnOfTopic(const event::TableSchema& schema, const std::string& topic);
  void RouteUpdate(const event::ChangeEvent& change, const event::Emission& base, Emissions* out);
  void EmitDelete(const event::Emission& base, Emissions* out);
  void Number(Table& table, Emissions* out);
  bool Skip(event::Operation operation);

  const std::shared_ptr<const RouteOptions> options_;
  const TopicNaming naming_;  // of options_
  const names::TableFilter& filter_;
  event::RecordComparison* const comparison_;
  const std::string message_topic_, transaction_topic_, heartbeat_topic_;
  // Emissions point into them. Those without a version that is in use are forgotten between
  // transactions, when there are twice as many as were left the last time.
  absl::flat_hash_map<std::string, std::shared_ptr<Table>> tables_;
  size_t sweep_tables_at_ = kSweptTables;
  absl::flat_hash_map<std::string, std::string> table_of_topic_;
  // By TableVersion.
  SweptMap<uint64_t, Version> versions_{kSweptVersions};
  uint64_t last_number_ = 0;
  const Version* last_version_ = nullptr;
  TransactionCounter transaction_;
  Emissions recounted_;
  Counters counters_;
};

}  // namespace walduct::route
