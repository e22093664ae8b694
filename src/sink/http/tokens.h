// Tokens: what authentication.type=jwt and oauth2 send with each request, fetched from where they
// are given out and renewed before they expire. Blocks while it fetches: one thread, but Interrupt.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "http/client.h"
#include "sink/http/http_sink_options.h"

namespace walduct::sink {

class Tokens {
 public:
  // Null: none are needed. options, clock: borrowed.
  static absl::StatusOr<std::unique_ptr<Tokens>> Create(const HttpSinkOptions& options,
                                                        Clock* clock);

  // The line of the header.
  //   Unavailable      http_unreachable: nobody gives one out now
  //   Unauthenticated  http_login_refused
  absl::StatusOr<std::string> Authorization();
  // The receiver does not take it: the next one is a new one.
  void Discard() { until_ = absl::ZeroDuration(); }
  void Interrupt() { client_->Interrupt(); }
  void StopWhen(std::function<bool()> stopping) { client_->StopWhen(std::move(stopping)); }

 private:
  Tokens(const HttpSinkOptions& options, Clock* clock, std::unique_ptr<http::Client> client)
      : options_(options), clock_(*clock), client_(std::move(client)) {}
  absl::Status FetchJwt();
  absl::Status FetchOAuth();
  absl::StatusOr<http::Response> Send(const http::ClientRequest& request);

  const HttpSinkOptions& options_;
  Clock& clock_;
  const std::unique_ptr<http::Client> client_;
  std::string line_;
  absl::Duration until_;  // of the monotonic clock
  std::string refresh_token_;
};

}  // namespace walduct::sink
