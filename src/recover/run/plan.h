// What `recover plan` says: whether the gap of a lost slot can be got back, from which backup, and
// what to type. Looks only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/lsn.h"

namespace walduct::engine {
struct ConnectorOptions;
}
namespace walduct::slot {
class ServerWorld;
}

namespace walduct::recover {

struct PlanFacts {
  Lsn position;
  std::optional<absl::Time> stored_at;  // commit of what was published last; absent: not known
  // The primary's slot: "", where it can be read; "missing", "lost" and why.
  std::string slot_trouble;
  Lsn slot;  // where it begins
  Lsn wal_end;
  int version = 0;  // 170004
  uint32_t timeline = 0;
  std::optional<uint32_t> stored_timeline;
  uint64_t segment_bytes = 0;
  bool archives = false;
  std::string archive_command;             // or its library
  std::string last_archived, last_failed;  // segments; empty: none. last_failed: nothing since
  // Of an archive that was looked into: segments of the gap that it lacks, of one behind a command
  // the first few; absent: none was.
  std::optional<std::vector<uint64_t>> lacking;
};

struct PlanWords {
  std::string slot, files;  // "-f shop.json -w worker.properties"
};

struct Plan {
  enum class Verdict { kNoGap, kPossible, kImpossible };
  Verdict verdict = Verdict::kPossible;
  std::string text;
};
Plan MakePlan(const PlanFacts& facts, const PlanWords& words);

// Where the segments of the gap are looked for; both empty: nowhere.
struct ArchivePlace {
  std::string folder;
  std::string command;  // for sh, with %f, and with %p where it fetches
};
// FailedPrecondition recover_no_position; InvalidArgument: the archive cannot be asked so.
absl::StatusOr<PlanFacts> ReadPlanFacts(slot::ServerWorld& world,
                                        const engine::ConnectorOptions& connector,
                                        const std::string& slot, const ArchivePlace& archive);

// Segments from `first` to `last` that the command does not have, the first kMostLacking; on any of
// the timelines from `oldest` to `newest`. Runs it for each.
constexpr size_t kMostLacking = 3;
struct SegmentRange {
  uint64_t first = 0, last = 0;
  uint32_t oldest = 1, newest = 1;
  uint64_t segment_bytes = 0;
};
absl::StatusOr<std::vector<uint64_t>> LackingBehind(const std::string& command,
                                                    const SegmentRange& range);
std::string SegmentName(uint32_t timeline, uint64_t number, uint64_t segment_bytes);

}  // namespace walduct::recover
