// Service: requests to one service of AWS, signed, one after the other; connections stay open in
// between.
//
// Thread-safety: one thread calls; Interrupt from any.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "aws/credentials.h"
#include "aws/options.h"
#include "base/environment.h"
#include "http/client.h"

namespace walduct::aws {

struct Request {
  std::string target;        // "Kinesis_20131202.PutRecords"; empty: body is a form (Query API)
  std::string body;          // JSON, or a form
  std::string json = "1.1";  // version of AWS's JSON
};

class Service {
 public:
  // FailedPrecondition: libcurl_missing or libcurl_too_old, or a certificate cannot be used.
  static absl::StatusOr<std::unique_ptr<Service>> Create(const AwsOptions& options,
                                                         const Environment& environment);

  // The body of an answer that is a result; else AnswerError's, or an error of credentials.
  // may_send: asked when all that may take a while is done but the request itself.
  //   Cancelled  interrupted
  //   Aborted    it may not be sent, and was not
  absl::StatusOr<std::string> Call(
      Request request, absl::FunctionRef<bool()> may_send = [] { return true; });
  // All calls together end by then (Monotonic): Unavailable.
  void EndAt(absl::Duration deadline);
  // See http::Client.
  void StopWhen(const std::function<bool()>& stopping);
  // Ends what is being asked, and all that comes.
  void Interrupt();

  // Of messages: the endpoint.
  const std::string& where() const { return endpoint_; }

 private:
  Service(const AwsOptions& options, Clock* clock, std::unique_ptr<CredentialChain> credentials,
          std::unique_ptr<http::Client> client);

  const std::string endpoint_;
  const absl::Duration timeout_;
  Clock& clock_;
  std::optional<absl::Duration> deadline_;
  const std::unique_ptr<CredentialChain> credentials_;
  const std::unique_ptr<http::Client> client_;
};

}  // namespace walduct::aws
