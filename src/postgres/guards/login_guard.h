// LoginGuard: what a server says while it logs us in, looked at before libpq takes it. libpq
// computes as many rounds of SCRAM as the server asks for, at once and whatever they cost: two
// thousand million block the thread for an hour, with no deadline and no way to stop it.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct pg_conn;
struct ssl_st;

namespace walduct::postgres {

// For one login. Data thread only.
class LoginGuard {
 public:
  // Looks at the bytes that are there for libpq's next step; none is taken away. False: a message
  // has begun and not ended, so that libpq must not be called yet.
  //   FailedPrecondition scram_iterations
  absl::StatusOr<bool> MayGoOn(pg_conn* connection);

 private:
  absl::StatusOr<bool> MayGoOn(ssl_st* tls);

  std::string begun_;  // libpq has it: inside TLS one record is seen at a time
};

// Takes whole messages from the front of bytes, all that there are; what is left is the beginning
// of another one.
absl::Status CheckMessages(absl::string_view* bytes);

}  // namespace walduct::postgres
