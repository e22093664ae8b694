// Passwords: who may ask, by the property file that Kafka's PropertyFileLoginModule reads; and
// the login file (JAAS) that names it. Immutable; thread-safe.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::access {

class Passwords {
 public:
  // text: name=password lines. InvalidArgument: unreadable, or nobody is in it.
  static absl::StatusOr<Passwords> Parse(absl::string_view text);

  // authorization: the header's value, "Basic …"; may be empty.
  bool Admits(absl::string_view authorization) const;

 private:
  std::map<std::string, std::string> users_;
};

// The property file that entry KafkaConnect of a login file names. InvalidArgument: no such entry,
// or another login module.
absl::StatusOr<std::string> CredentialsFile(absl::string_view login_file);

}  // namespace walduct::access
