// Matcher: pairs the records of two topics as they come, in whatever order. What it keeps is
// bounded: see the README.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
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

// From the first to the last position that a side has in any of its topics; 0: it has none.
struct Extent {
  uint64_t first = 0;
  uint64_t last = 0;
};

struct Result {
  uint64_t equal = 0;
  uint64_t different = 0;
  uint64_t missing = 0;   // left alone has it
  uint64_t extra = 0;     // right alone has it
  uint64_t repeated = 0;  // delivered more than once by one side
  uint64_t before = 0;    // of before the other side's beginning
  uint64_t after = 0;     // of after its end
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
  // extents: of the left side, of the right one.
  Matcher(std::array<Extent, 2> extents, Limits limits) : extents_(extents), limits_(limits) {}

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
    Hash digest;
    std::string label, where;
    std::string text;  // empty: there was no room
  };
  using Bucket = absl::InlinedVector<Waiting, 1>;
  enum class Lack { kMissing, kBefore, kAfter };

  static Hash HashOfText(absl::string_view text);
  Lack Judge(const Waiting& waiting) const;
  void Count(const Waiting& waiting, Lack lack);
  void Pair(const Waiting& waiting, const Identity& identity, const std::string& where);
  void Remember(const Hash& name);
  absl::Status MakeRoom();
  void Show(uint64_t count, std::string example);

  const std::array<Extent, 2> extents_;
  const Limits limits_;
  Result result_;
  absl::flat_hash_map<Hash, Bucket> waiting_;
  size_t count_ = 0;
  size_t text_bytes_ = 0;
  absl::flat_hash_set<Hash> paired_;
  std::deque<Hash> paired_order_;
  std::array<bool, 2> has_snapshot_ = {false, false};
};

}  // namespace walduct::compare
