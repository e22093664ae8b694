// CredentialChain: who signs requests. Asked for by name: a profile. Else the places that AWS's SDK
// for Java looks at, in its order: environment variables, the token of a web identity (EKS), the
// profile files, the container's endpoint (ECS, EKS), the instance's (EC2, IMDSv2).
//
// Thread-safety: one thread asks, and waits; Interrupt from any.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "http/client.h"

namespace walduct::aws {

struct Credentials {
  std::string key_id, secret, token;  // token: empty for those of a user
  std::optional<absl::Time> expires;
  std::string from;  // of messages: "the environment"
};

class CredentialChain {
 public:
  static absl::StatusOr<std::unique_ptr<CredentialChain>> Create(std::string profile,
                                                                 std::string region, Clock* clock);

  // Those in use, or new ones before they expire.
  //   Unauthenticated  there are none, or they are of a kind that is not supported
  //   Unavailable      who gives them out does not answer now
  absl::StatusOr<const Credentials*> Get();
  // All questions together end by then (Monotonic).
  void EndAt(absl::Duration deadline) { deadline_ = deadline; }
  // A service has refused them: the next Get looks again.
  void Discard() { current_.reset(); }
  void Interrupt() { client_->Interrupt(); }
  void StopWhen(std::function<bool()> stopping) { client_->StopWhen(std::move(stopping)); }

 private:
  using Found = absl::StatusOr<std::optional<Credentials>>;

  CredentialChain(std::string profile, std::string region, Clock* clock,
                  std::unique_ptr<http::Client> client)
      : profile_(std::move(profile)),
        region_(std::move(region)),
        clock_(*clock),
        client_(std::move(client)) {}

  bool IsDue() const;
  absl::StatusOr<Credentials> Find();
  Found FromWebIdentity();
  Found FromProfiles(const std::string& name, bool asked_for);
  Found FromContainer();
  Found FromInstance();
  absl::StatusOr<http::Response> Send(const http::ClientRequest& request);
  absl::StatusOr<std::string> Ask(const std::string& from, const http::ClientRequest& request);

  const std::string profile_, region_;
  Clock& clock_;
  const std::unique_ptr<http::Client> client_;
  std::optional<absl::Duration> deadline_;
  bool is_instance_ = false;  // it has given out a token
  std::optional<Credentials> current_;
  absl::Duration again_ = -absl::InfiniteDuration();  // no renewal before, while they serve
};

// Out of the JSON that endpoints of containers and instances answer with. Unavailable: it has none.
absl::StatusOr<Credentials> CredentialsIn(const std::string& json, absl::string_view from);

}  // namespace walduct::aws
