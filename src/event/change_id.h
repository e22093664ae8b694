// ChangeId: names one change of the stream for good, whoever reads it and from where: the LSN of
// its transaction's commit record, and its number among the transaction's changes, from 1 on.
// Written "0/16B3748:3".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "event/position.h"

namespace walduct::event {

struct ChangeId {
  Lsn commit;
  uint64_t number = 0;

  std::string Text() const;
  friend bool operator==(const ChangeId&, const ChangeId&) = default;
};

// Of the change that a position has just taken behind it; absent: it is at no change of a
// transaction (a snapshot's row).
inline std::optional<ChangeId> LastChange(const Position& position) {
  if (position.ordinal == 0 || !position.transaction_final_lsn.valid()) return std::nullopt;
  return ChangeId{position.transaction_final_lsn, position.ordinal};
}

// Absent: it is not written so.
std::optional<ChangeId> ParseChangeId(absl::string_view text);

}  // namespace walduct::event
