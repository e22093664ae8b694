// EntryWriter: a record as the XADD that Debezium Server would send, with an id and a limit where
// the options ask for them. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "event/record.h"
#include "sink/redis/redis_sink_options.h"

namespace walduct::sink {

// Of an entry: two numbers, as Redis orders them.
struct EntryId {
  uint64_t first = 0, second = 0;

  std::string Text() const;
  friend auto operator<=>(const EntryId&, const EntryId&) = default;
};

// first is the LSN; second holds number and part. Of exact ids only.
EntryId EntryIdOf(const event::RecordId& id);
// Whether an id was made so. Those that Redis makes of its clock, and those behind an exact first
// number, count from 0 or from the entry before.
bool IsOfPosition(const EntryId& id);
// "5-1". False: it is none.
bool ParseEntryId(absl::string_view text, EntryId* id);

class EntryWriter {
 public:
  // Borrowed.
  explicit EntryWriter(const RedisSinkOptions& options);

  // id: "*", "5-1" or "5-*".
  void Append(const event::Record& record, absl::string_view id, absl::Time now,
              std::string* out) const;

 private:
  const RedisSinkOptions& options_;
  const std::string limit_;  // of max_entries
};

}  // namespace walduct::sink
