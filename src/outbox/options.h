// Housekeeping and polling of outbox tables. Immutable once built.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::outbox {

enum class OutboxCleanup { kNone, kDelete, kDropPartitions };

// walduct.outbox.*
struct OutboxOptions {
  std::shared_ptr<const java::RegexList> tables;  // set whenever cleanup is not kNone
  OutboxCleanup cleanup = OutboxCleanup::kNone;
  absl::Duration retention = absl::Hours(7 * 24);  // zero: until acknowledged
  std::string time_column;                         // empty: recognised by its name
  absl::Duration interval = absl::Minutes(1);
  int64_t batch_rows = 1000;
  bool delete_history = false;  // walduct.outbox.cleanup.history=delete

  // Of a table that is polled (room poll).
  bool deletes_done = false;                    // walduct.outbox.done=delete
  bool archives = false;                        // walduct.outbox.done=archive
  std::string archive_suffix;                   // of the archive's name, behind the table's
  bool positions = false;                       // walduct.outbox.done=position
  bool skips_history = false;                   // snapshot.mode=no_data, with a position
  std::string where;                            // SQL about rows; empty: all of them
  absl::Duration lease = absl::ZeroDuration();  // of others, where rows do not say it; 0: for ever
  absl::Duration longest_pause = absl::Seconds(5);
  bool keeps_order = true;    // walduct.outbox.order=key
  int64_t workers = 1;        // side by side, each with its share of the keys
  int64_t worker = 0;         // which of them this one is
  int64_t max_attempts = 10;  // of a row that cannot be published; 0: the connector stops
  bool parked_holds = true;   // walduct.outbox.parked=hold
  absl::Duration first_backoff = absl::Seconds(1);
  int64_t publish_rows = 5000;
};

}  // namespace walduct::outbox
