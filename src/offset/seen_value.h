// SeenValue: what a store has last read or written of a connector's entry, so that it notices when
// somebody else has stored there since. Values are compared byte by byte.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::offset {

class SeenValue {
 public:
  // It was read, or erased by us; absent: there is none.
  void Saw(std::optional<std::string> value) {
    seen_ = std::move(value);
    known_ = true;
  }
  // It is about to be written, perhaps in vain: whoever hears no answer does not know.
  const std::string& Try(const std::string& value);
  // What was tried last is there.
  void Stored();

  const std::optional<std::string>& seen() const { return seen_; }
  // Something was tried since, and may be there instead.
  bool unsure() const { return !tried_.empty(); }

  // Of what the entry holds now, which is what was seen from then on. where: " in the file x",
  // behind "a position of this connector".
  //   FailedPrecondition offset_superseded  it is neither what was seen nor what was tried
  absl::Status CheckUnchanged(const std::optional<std::string>& held, absl::string_view where);

 private:
  bool known_ = false;  // seen_ is
  std::optional<std::string> seen_;
  // Since the last that is known to be stored, the newest last. Each begins behind a look at the
  // entry, so an older one than these would have been seen.
  std::deque<std::string> tried_;
};

}  // namespace walduct::offset
