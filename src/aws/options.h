// Which service of AWS, where, and whose profile asks. Immutable once built.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace walduct::aws {

struct AwsOptions {
  std::string service = {};   // as signatures name it: "kinesis"
  std::string region = {};    // "eu-central-1"
  std::string endpoint = {};  // URL; empty: AWS's own of that region
  std::string profile = {};   // of the profile files; empty: the chain of CredentialChain
  std::string ca_file = {};   // authorities to trust, PEM; empty: the system's
  absl::Duration timeout = absl::Seconds(30);  // of a request
};

// With / at its end.
std::string EndpointOf(const AwsOptions& options);

}  // namespace walduct::aws
