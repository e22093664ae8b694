// Options of a connection as libnats has them, with certificates and keys; and why a connection was
// not made.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "nats/library.h"
#include "nats/options.h"

namespace walduct::nats {

// What libnats says from threads of its own, and what it asks for. It holds itself until libnats
// has told that the connection is closed, which is the last it says.
struct Notes {
  std::shared_ptr<Notes> self;
  Mutex mutex;
  std::string error ABSL_GUARDED_BY(mutex);  // the server's last, not taken yet
  std::string jwt, seed;                     // for its callbacks; constant
};

struct FreeOptions {
  void operator()(natsOptions* options) const;
};
using OptionsPointer = std::unique_ptr<natsOptions, FreeOptions>;

// Reads the stores. inbox: what answers to requests begin with. InvalidArgument: a store, a seed.
absl::StatusOr<OptionsPointer> MakeOptions(const NatsOptions& options, const NatsLibrary& nats,
                                           const std::string& inbox, Notes* notes);

// Waits. options: what MakeOptions made with these notes.
//   Unavailable         nats_unavailable
//   Unauthenticated     nats_authentication_failed
//   FailedPrecondition  nats_tls_failed
absl::StatusOr<natsConnection*> ConnectWith(const NatsOptions& options, natsOptions* made,
                                            const NatsLibrary& nats,
                                            const std::shared_ptr<Notes>& notes);

absl::Status Unreachable(absl::string_view address, absl::string_view why);

// error: what a server says of a right that is missing. OK: it says something else.
absl::Status RightError(absl::string_view error, absl::string_view address);

}  // namespace walduct::nats
