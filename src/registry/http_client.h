// HttpClient: requests to a registry, with the TLS of Kafka's clients and errors that have reasons.
//
// Thread-safety: one thread sends; Interrupt from any.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "http/client.h"
#include "registry/options.h"

namespace walduct::registry {

using HttpRequest = http::ClientRequest;
using HttpResponse = http::Response;

class HttpClient {
 public:
  // Reads the certificates. FailedPrecondition: one cannot be used.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Create(const HttpOptions& options);

  // Any answer of a server is OK.
  //   Unavailable         registry_unreachable: nobody answered
  //   FailedPrecondition  registry_tls: the server's certificate is not trusted, or it wants one
  //   Cancelled           interrupted
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request);

  // Ends what is being sent, and all that comes.
  void Interrupt() { client_->Interrupt(); }

 private:
  explicit HttpClient(std::unique_ptr<http::Client> client);

  const std::unique_ptr<http::Client> client_;
};

}  // namespace walduct::registry
