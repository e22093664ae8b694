#include "route/transaction_counter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::route {
namespace {

// What Java prints of an object without a text of its own. The number behind it stands for the
// object's identity there, for the message's number here.
constexpr absl::string_view kMessageName =
    "io.debezium.connector.postgresql.LogicalDecodingMessageMonitor$LogicalDecodingMessageId@";
constexpr absl::string_view kOtherMessages = "LOGICAL_DECODING_MESSAGE";

}  // namespace

void TransactionCounter::Begin() {
  counting_ = true;
  ++transaction_;
  total_ = 0;
  messages_ = 0;
  touched_.clear();
}

event::TransactionOrder TransactionCounter::Count(Collection& collection) {
  if (collection.transaction != transaction_) {
    collection.transaction = transaction_;
    collection.events = 0;
    touched_.push_back(&collection);
  }
  return {.total = ++total_, .in_collection = ++collection.events};
}

event::TransactionOrder TransactionCounter::CountMessage() {
  ++messages_;
  const uint64_t shared = messages_ > kMaxListedMessages ? messages_ - kMaxListedMessages : 1;
  return {.total = ++total_, .in_collection = shared};
}

const event::TransactionBoundary& TransactionCounter::Boundary(
    const event::TransactionInfo& transaction) {
  boundary_ = {.xid = transaction.xid,
               .lsn = transaction.begin_lsn,
               .commit_time_us = transaction.commit_time_us,
               .events = 0,
               .collections = {}};
  return boundary_;
}

const event::TransactionBoundary& TransactionCounter::End(const event::TransactionInfo& transaction,
                                                          Lsn end) {
  counting_ = false;
  listed_.clear();
  for (const Collection* collection : touched_) {
    listed_.push_back({.name = collection->name, .events = collection->events});
  }
  ListMessages();
  order_.Arrange(&listed_);
  Boundary(transaction);
  boundary_.lsn = end;
  boundary_.events = total_;
  boundary_.collections = listed_;
  return boundary_;
}

void TransactionCounter::ListMessages() {
  const uint64_t named = std::min(messages_, kMaxListedMessages);
  while (message_names_.size() < named) {
    message_names_.push_back(absl::StrCat(kMessageName, absl::Hex(message_names_.size() + 1)));
  }
  for (uint64_t i = 0; i < named; ++i) listed_.push_back({.name = message_names_[i], .events = 1});
  if (messages_ > named) listed_.push_back({.name = kOtherMessages, .events = messages_ - named});
}

}  // namespace walduct::route
