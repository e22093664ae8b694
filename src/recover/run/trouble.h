// What a recovery waits for that is not this process, and what to do about it.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "recover/state.h"

namespace walduct::recover {

// Of the restored server, as it was asked last.
struct Seen {
  absl::Time begun;
  std::optional<absl::Time> away_since;  // it takes no session
  std::string away_why;
  std::string pause;  // of replay; empty: not known
  Lsn replayed;
  absl::Time replayed_at;   // since then no further
  Lsn confirmed;            // of the slot; invalid: there is none
  absl::Time confirmed_at;  // since then it has not moved
};

struct Trouble {
  absl::string_view reason;
  absl::Time since;
  std::string what, hint;
  bool stands = true;  // nothing is published meanwhile; else it takes longer
};

std::optional<Trouble> FindTrouble(const GateNotes& notes, const Seen& seen,
                                   const std::string& state_folder, absl::Time now,
                                   absl::Duration patience);

}  // namespace walduct::recover
