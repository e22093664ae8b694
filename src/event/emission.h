// Emission: what to publish for a change, before any byte of it is made. One ChangeEvent gives none
// (filtered), one, or several (delete and tombstone; both halves of a key change). Borrows the
// change and the topic name.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "event/change_event.h"
#include "event/key_rule.h"

namespace walduct::event {

enum class ValueShape : uint8_t {
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

struct Emission {
  const ChangeEvent* change = nullptr;
  Operation operation = Operation::kCreate;  // as published: both halves of a key change differ
                                             // from change->operation
  ValueShape value = ValueShape::kEnvelope;
  KeySource key = KeySource::kAfter;
  KeyHeader key_header = KeyHeader::kNone;
  const KeyRule* key_rule = nullptr;  // null: the key columns of the table and nothing else
  bool with_before = false;           // publish change->before
  bool with_after = false;            // publish change->after
  absl::string_view topic;            // lives as long as the transform stage
};

}  // namespace walduct::event
