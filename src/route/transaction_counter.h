// TransactionCounter: numbers the records of a transaction, over all and by table, for
// provide.transaction.metadata.
//
// A table's count lives with the table, so that a row costs no lookup. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event/change_handler.h"
#include "event/emission.h"
#include "route/collection_order.h"

namespace walduct::route {

// A table's part of the count; its name must not change while a transaction counts it.
struct Collection {
  std::string name;          // "schema.table"
  uint64_t transaction = 0;  // that `events` belongs to
  uint64_t events = 0;
};

class TransactionCounter {
 public:
  // Debezium lists each logical message as a collection of its own; those after so many share one
  // entry.
  static constexpr uint64_t kMaxListedMessages = 1000;

  void Begin();
  bool counting() const { return counting_; }
  // collection is borrowed until the transaction's end.
  event::TransactionOrder Count(Collection& collection);
  event::TransactionOrder CountMessage();
  // Ends the transaction. The answer is valid until the next Begin or End.
  const event::TransactionBoundary& End(const event::TransactionInfo& transaction, Lsn end);
  // The answer is valid until the next call of Boundary or End.
  const event::TransactionBoundary& Boundary(const event::TransactionInfo& transaction);

 private:
  void ListMessages();

  bool counting_ = false;
  uint64_t transaction_ = 0;  // number of the open one
  uint64_t total_ = 0;
  uint64_t messages_ = 0;
  std::vector<Collection*> touched_;
  CollectionOrder order_;
  std::vector<std::string> message_names_;
  std::vector<event::CollectionCount> listed_;
  event::TransactionBoundary boundary_;
};

}  // namespace walduct::route
