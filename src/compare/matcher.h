// Matcher: pairs the records of two topics as they come, in whatever order. What it keeps is
// bounded: see the README.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "compare/record_identity.h"

namespace walduct::compare {

enum class Side { kLeft, kRight };
constexpr Side Other(Side side) { return side == Side::kLeft ? Side::kRight : Side::kLeft; }

// From the lowest to the highest position of records that have one; 0: none has.
struct Extent {
  uint64_t first = 0;
  uint64_t last = 0;

  void Add(uint64_t order);  // 0: it has no position
};
using Partitions = std::map<int32_t, Extent>;  // of a topic

struct Result {
  uint64_t equal = 0;
  uint64_t different = 0;
  uint64_t missing = 0;   // left alone has it
  uint64_t extra = 0;     // right alone has it
  uint64_t repeated = 0;  // delivered more than once by one side
  uint64_t before = 0;    // of before the other side's beginning
  uint64_t after = 0;     // of after its end
  // Without a position, between one that is older than the other side's beginning and the first
  // that both may have: nothing says whether they are older, or missing.
  uint64_t unplaced = 0;
  // Of those before and after, events, which are placed by their order alone: one that was lost
  // right there looks the same. Of each side.
  std::array<uint64_t, 2> events_before = {0, 0}, events_after = {0, 0};
  std::vector<std::string> examples;

  bool same() const { return different + missing + extra == 0; }
  void Add(const Result& other);
};

class Matcher {
 public:
  struct Limits {
    size_t waiting = 1'000'000;
    size_t text_bytes = 64u << 20;
    size_t paired = 262'144;
    size_t examples = 5;  // of each kind
  };
  // Of the left side, of the right one. extents: of all topics; topic: of the one that is compared.
  Matcher(std::array<Extent, 2> extents, Limits limits, std::array<Partitions, 2> topic = {})
      : extents_(extents), limits_(limits), topic_(std::move(topic)) {}

  // where: for people.
  //   ResourceExhausted comparison_too_far_apart
  absl::Status Add(Side side, const Identity& identity, const std::string& where);
  // Nothing comes any more.
  Result Finish();

 private:
  using Hash = std::pair<uint64_t, uint64_t>;
  struct Waiting {
    Side side;
    uint64_t order;
    bool snapshot;
    int32_t partition;
    uint64_t place;  // of an event in its partition, from 1; 0: it is none
    Hash digest;
    std::string label, where;
    std::string text;  // empty: there was no room
  };
  using Bucket = absl::InlinedVector<Waiting, 1>;
  // Without a position, at the beginning of a partition. They wait to the end, when it is known
  // which of those that are alike have partners.
  struct Held {
    Hash name;
    Waiting waiting;
    bool paired = false;
    bool both_begin = false;  // its partner is at the beginning, too
  };
  // How far a partition of one side has come.
  struct Progress {
    bool begins_earlier = false;  // than the other side
    bool holds = false;           // the beginnings of both sides differ here
    bool within = false;          // one has come that is not older than the other's beginning
    Hash opening;                 // the name of the first of these
    std::vector<Held> held;       // from before it
    size_t older = 0;             // so many of these are followed by one that is older
  };
  // Of the events of a partition of one side.
  struct Events {
    uint64_t count = 0;              // have come
    uint64_t first = 0, last = 0;    // places of those that both sides have; 0: there is none
    uint64_t ahead = 0, behind = 0;  // of that: so many are on this side alone
  };
  enum class Lack { kMissing, kBefore, kAfter, kUnplaced };

  static Hash HashOfText(absl::string_view text);
  static Hash WithText(const Hash& name, const Hash& digest);
  bool IsRepeated(Side side, const Identity& identity, const Hash& name) const;
  void BothHave(Side side, int32_t partition, uint64_t place);
  void CountEvents();
  bool BeginsEarlier(Side side, int32_t partition) const;
  Progress& Advance(Side side, const Identity& identity, const Hash& name);
  void PairHeld(Progress* earlier, Progress* later);
  bool TakePartner(Held* held);
  void Settle(Progress* progress);
  void SettleHeld();
  Lack Judge(const Waiting& waiting) const;
  Lack JudgeEvent(const Waiting& waiting) const;
  void Count(const Waiting& waiting, Lack lack);
  void Pair(const Waiting& waiting, const Identity& identity, const std::string& where);
  void Remember(const Hash& name);
  absl::Status MakeRoom();
  void Show(uint64_t count, std::string example);

  const std::array<Extent, 2> extents_;
  const Limits limits_;
  const std::array<Partitions, 2> topic_;
  Result result_;
  absl::flat_hash_map<Hash, Bucket> waiting_;
  std::map<std::pair<size_t, int32_t>, Progress> progress_;  // by side and partition
  std::map<std::pair<size_t, int32_t>, Events> events_;      // as well
  size_t count_ = 0;                                         // of those that wait and are held
  size_t text_bytes_ = 0;
  absl::flat_hash_set<Hash> paired_;
  std::deque<Hash> paired_order_;
  std::array<bool, 2> has_snapshot_ = {false, false};
};

}  // namespace walduct::compare
