// Emission: what to publish, before any byte of it is made. One ChangeEvent gives none (filtered),
// one, or several (delete and tombstone; both halves of a key change); transactions and heartbeats
// have records of their own. Borrows everything it points to.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "event/change_event.h"
#include "event/key_rule.h"
#include "event/notification.h"

namespace walduct::event {

enum class RecordKind : uint8_t {
  kChange,            // of a row, or a logical message
  kTransactionBegin,  // on the transaction topic
  kTransactionEnd,
  kHeartbeat,
  kNotification,
};

enum class PublishedValue : uint8_t {
  kEnvelope,   // before, after, source, op, ts
  kTombstone,  // null
};

enum class KeySource : uint8_t {
  kNone,    // null key
  kBefore,  // key columns of change->before
  kAfter,   // key columns of change->after
};

// Header that links the two halves of a key change.
enum class KeyHeader : uint8_t { kNone, kNewKey, kOldKey };

// Number of a record in its transaction; total 0: not numbered.
struct TransactionOrder {
  uint64_t total = 0;
  uint64_t in_collection = 0;  // among those of the same table
};

struct CollectionCount {
  absl::string_view name;  // "schema.table"
  uint64_t events = 0;
};

// Begin or end of a transaction, as the transaction topic tells it.
struct TransactionBoundary {
  uint64_t xid = 0;
  Lsn lsn;
  int64_t commit_time_us = 0;  // since the Unix epoch
  // At the end: what the transaction has published.
  uint64_t events = 0;
  absl::Span<const CollectionCount> collections;
};

struct Emission {
  RecordKind kind = RecordKind::kChange;
  const ChangeEvent* change = nullptr;            // kChange
  const TransactionBoundary* boundary = nullptr;  // kTransactionBegin, kTransactionEnd
  const Notification* notification = nullptr;     // kNotification
  Operation operation = Operation::kCreate;  // as published: both halves of a key change differ
                                             // from change->operation
  PublishedValue value = PublishedValue::kEnvelope;
  KeySource key = KeySource::kAfter;
  KeyHeader key_header = KeyHeader::kNone;
  const KeyRule* key_rule = nullptr;  // null: the key columns of the table and nothing else
  bool with_before = false;           // publish change->before
  bool with_after = false;            // publish change->after
  TransactionOrder order;
  absl::string_view topic;  // lives as long as the router
};

}  // namespace walduct::event
