// Signals as files and topics hold them: {"id": …, "type": …, "data": {…}}. Pure.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "incremental/signals/signal.h"

namespace walduct::incremental {

// InvalidArgument signal_malformed; where: as the message names it.
absl::StatusOr<RawSignal> ParseSignalText(absl::string_view text, absl::string_view where);

}  // namespace walduct::incremental
