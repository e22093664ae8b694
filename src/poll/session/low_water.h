// LowWater: behind which id of an outbox table nothing is open, so that a claim need not walk over
// all that was published: entries of an index stay as long as somebody's snapshot could see their
// rows.
//
// An id is taken before its transaction commits. So the mark moves in two steps: what was claimed
// is the bound that is wanted; once all who may have taken a lower id have ended, a look that
// begins after that sees all rows behind the bound, and the mark moves to the first that is open
// still, whatever it waits for. What comes behind it otherwise (an id that a writer chose, a row
// that was opened again by hand) is found by a claim from the beginning of the table: the longer
// one takes, the more seldom it is, and not more seldom than once a minute.
//
// Of one table and one session. Pure; data thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::poll {

class LowWater {
 public:
  // Where a claim begins; absent: at the beginning of the table.
  std::optional<int64_t> from() const { return from_; }
  // Whether the next claim is one from the beginning.
  bool IsWholeDue(absl::Duration now) const;
  void TookWhole(absl::Duration took, absl::Duration now);

  // Rows up to this id were claimed.
  void Claimed(int64_t id);
  bool IsLookDue(absl::Duration now) const { return looks_left_ > 0 && now >= next_look_; }
  // first_open: of rows from from() on; absent: none is. writers: names, with spaces between.
  void Looked(std::optional<int64_t> first_open, absl::string_view writers, absl::Duration took,
              absl::Duration now);

 private:
  std::optional<int64_t> from_;
  absl::Duration next_whole_ = -absl::InfiniteDuration(), next_look_ = -absl::InfiniteDuration();
  std::optional<int64_t> claimed_;
  std::optional<int64_t> wanted_;     // until those are gone:
  std::vector<std::string> writers_;  // sorted
  std::optional<int64_t> bound_;      // a look that begins now sees all rows up to it
  int looks_left_ = 0;                // until something is claimed again
};

}  // namespace walduct::poll
