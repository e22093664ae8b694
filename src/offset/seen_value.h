// SeenValue: what a store has last read or written of a connector's entry, so that it notices when
// somebody else has stored there since. Values are compared byte by byte.
#pragma once

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
  // It is about to be written, perhaps in vain.
  const std::string& Try(std::string value) { return *(trying_ = std::move(value)); }
  void Stored() { Saw(trying_); }

  const std::optional<std::string>& seen() const { return seen_; }

  // Of what the entry holds now. where: " in the file x", behind "a position of this connector".
  //   FailedPrecondition offset_superseded  it is neither what was seen nor what was tried
  absl::Status CheckUnchanged(const std::optional<std::string>& held,
                              absl::string_view where) const;

 private:
  bool known_ = false;  // seen_ is
  std::optional<std::string> seen_, trying_;
};

}  // namespace walduct::offset
