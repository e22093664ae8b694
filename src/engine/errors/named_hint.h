// What to type about an error of a connector, with its names filled in. Those who make an error
// know what is wrong, and mostly neither whose it is nor how the connector is run: a recovery that
// takes several steps is written here as a whole, by reason. An error that says nothing has the
// words of its reason.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/configuration/connector_names.h"

namespace walduct::engine {

// What to do about a reason, for errors that bring no hint: admin/reasons, which stands above. To
// be called before the first thread begins.
using RemedyOf = std::string (*)(absl::string_view reason);
void UseRemedies(RemedyOf remedy_of);

// Never empty for a reason that has a remedy. message: of the error; it may name a process.
std::string NamedHint(absl::string_view reason, absl::string_view message, absl::string_view hint,
                      const ConnectorNames& names);
// A publication that is missing is to be made; where there is a slot, that is not all: what was
// written before it is made cannot be decoded by it.
absl::Status AndSlotAnew(const absl::Status& error, bool has_slot);
std::string AndSlotAnew(const std::string& hint);

// Of one that failed for good under a worker, which tries nothing again by itself.
absl::Status AndRestart(const absl::Status& error, const ConnectorNames& names);

// "(PID)" in a hint becomes the process that the message names.
std::string WithProcess(const std::string& hint, absl::string_view message);
// About a session that holds what is waited for. lock: "a lock on table …, held up by pid 7".
std::string LockHint(absl::string_view lock);
// A lock_timeout with what a look from beside has shown, and how long ago: who held it may be gone
// by now. "…; seen from beside 8s ago: waiting for a lock on …".
// lock: as above; empty: nothing is known. Other errors stay as they are.
absl::Status WithLock(const absl::Status& error, absl::string_view lock, absl::Duration age);
// The same error with it.
absl::Status WithNamedHint(const absl::Status& error, const ConnectorNames& names);

}  // namespace walduct::engine
