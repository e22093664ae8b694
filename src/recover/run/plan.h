// What `recover plan` says: whether the gap of a lost slot can be got back, from which backup, and
// what to type. Looks only.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "base/lsn.h"

namespace walduct::engine {
struct ConnectorOptions;
}

namespace walduct::recover {

struct PlanFacts {
  std::string slot_name;
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
  std::optional<uint64_t> cluster_bytes = {};  // its databases; absent: the role may not ask
  bool archives = false;
  std::string archive_command;             // or its library
  std::string last_archived, last_failed;  // segments; empty: none. last_failed: nothing since
  // Of an archive that was looked into: segments of the gap that it lacks, of one behind a command
  // the first few; absent: none was.
  std::optional<std::vector<uint64_t>> lacking;
  std::string archive_folder = {};  // that was looked into; empty: none
  // Of a process that was asked: what it was started with, "-f …"; or, of one that a worker runs,
  // the worker's file. Empty: not known.
  std::string files = {}, worker_file = {};
  bool from_input = false;  // its process has read the configuration from a pipe
};

struct Plan {
  enum class Verdict { kNoGap, kPossible, kImpossible };
  Verdict verdict = Verdict::kPossible;
  std::string text;
};
// files: "-f shop.json -w worker.properties", as it is typed.
Plan MakePlan(const PlanFacts& facts, const std::string& files);

// FailedPrecondition recover_no_position, or slot_other_name: there is no gap, the slot has another
// name; as CheckPosition, or CheckSlotUsable: neither server nor slot are those of the position;
// InvalidArgument: the connector can have no gap.
// slots_of_others: that other connectors read on its server.
absl::StatusOr<PlanFacts> ReadPlanFacts(const engine::ConnectorOptions& connector,
                                        const Environment& environment,
                                        const std::set<std::string>& slots_of_others = {});
// The same as JSON, of a process for another one; nullopt: the text is not that.
absl::StatusOr<std::string> PlanFactsJson(const engine::ConnectorOptions& connector,
                                          const Environment& environment,
                                          const std::set<std::string>& slots_of_others = {});
std::optional<PlanFacts> ParsePlanFacts(absl::string_view json);

// Where the segments of the gap are looked for; both empty: nowhere.
struct ArchivePlace {
  std::string folder;
  std::string command;  // for sh, with %f, and with %p where it fetches
};
// What it lacks of the gap. InvalidArgument: it cannot be asked so.
absl::Status LookIntoArchive(const ArchivePlace& archive, PlanFacts* facts);

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
