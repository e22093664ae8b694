// A request to a listener, for commands that end at once. Blocks.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "http/message.h"

namespace walduct::http {

// base: "http://host:port" or https://, which the system's authorities vouch for; with
// "user:password@" before the host where it asks for one. Unavailable status_unreachable: nobody
// answers there; InvalidArgument: no such URL; FailedPrecondition libcurl_missing.
absl::StatusOr<Response> Get(const std::string& base, const std::string& path,
                             absl::Duration timeout);

// The same with another method ("PUT", "POST") and no body.
absl::StatusOr<Response> Send(const std::string& method, const std::string& base,
                              const std::string& path, absl::Duration timeout);

// A form sent with a user's name and password. Blocks.
struct Form {
  std::string url;  // http or https
  std::string user;
  std::string password;
  std::string body;     // application/x-www-form-urlencoded
  std::string ca_file;  // of authorities to trust, PEM; both empty: the system's
  std::string ca_pem;
  absl::Duration timeout;
};
// Any answer is OK. Unavailable: nobody answered, or who did is not trusted;
// FailedPrecondition libcurl_missing.
absl::StatusOr<Response> PostForm(const Form& form);

}  // namespace walduct::http
