#include "aws/service.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "aws/error.h"
#include "aws/xml_text.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace walduct::aws {
namespace {

absl::Status ErrorIn(const http::Response& answer, bool is_form, absl::string_view where) {
  if (is_form)
    return AnswerError(answer.status, TextIn(answer.body, "Code"), TextIn(answer.body, "Message"),
                       where);
  const rapidjson::Document json = json::Parse(answer.body);
  // "com.amazonaws.sqs#QueueDoesNotExist", also with ":http://…" behind it.
  const std::string type = json::TextIn(json, "__type");
  absl::string_view code = type;
  code = code.substr(0, code.find(':'));
  if (const size_t hash = code.find('#'); hash != absl::string_view::npos)
    code.remove_prefix(hash + 1);
  std::string message = json::TextIn(json, "message");
  if (message.empty()) message = json::TextIn(json, "Message");
  return AnswerError(answer.status, code, message, where);
}

}  // namespace

std::string EndpointOf(const AwsOptions& options) {
  if (!options.endpoint.empty()) return absl::StrCat(absl::StripSuffix(options.endpoint, "/"), "/");
  return absl::StrCat("https://", options.service, ".", options.region, ".amazonaws.com",
                      absl::StartsWith(options.region, "cn-") ? ".cn" : "", "/");
}

absl::StatusOr<std::unique_ptr<Service>> Service::Create(const AwsOptions& options,
                                                         const Environment& environment) {
  ASSIGN_OR_RETURN(auto credentials,
                   CredentialChain::Create(options.profile, options.region, environment.clock));
  ASSIGN_OR_RETURN(
      auto client,
      http::Client::Create({.sigv4 = absl::StrCat("aws:amz:", options.region, ":", options.service),
                            .connect_timeout = options.timeout,
                            .timeout = options.timeout,
                            .tls = {.ca_file = options.ca_file}}));
  return std::unique_ptr<Service>(
      new Service(options, environment.clock, std::move(credentials), std::move(client)));
}

Service::Service(const AwsOptions& options, Clock* clock,
                 std::unique_ptr<CredentialChain> credentials, std::unique_ptr<http::Client> client)
    : endpoint_(EndpointOf(options)),
      timeout_(options.timeout),
      clock_(*clock),
      credentials_(std::move(credentials)),
      client_(std::move(client)) {}

absl::StatusOr<std::string> Service::Call(Request request, absl::FunctionRef<bool()> may_send) {
  const bool is_form = request.target.empty();
  ASSIGN_OR_RETURN(const Credentials* const who, credentials_->Get());
  if (!may_send()) return absl::AbortedError("the permit has run out");
  if (deadline_) {
    const absl::Duration left = *deadline_ - clock_.Monotonic();
    if (left <= absl::ZeroDuration())
      return Unreachable(endpoint_, "not all questions were answered in time");
    client_->SetTimeout(std::min(left, timeout_));
  }
  client_->SetLogin(absl::StrCat(who->key_id, ":", who->secret));
  http::ClientRequest sent{.method = "POST", .url = endpoint_, .body = std::move(request.body)};
  sent.headers.push_back(is_form ? "Content-Type: application/x-www-form-urlencoded"
                                 : "Content-Type: application/x-amz-json-" + request.json);
  if (!is_form) sent.headers.push_back(absl::StrCat("X-Amz-Target: ", request.target));
  if (!who->token.empty())
    sent.headers.push_back(absl::StrCat("X-Amz-Security-Token: ", who->token));
  absl::StatusOr<http::Response> answer = client_->Send(sent);
  if (absl::IsCancelled(answer.status())) return answer.status();
  if (!answer.ok()) {
    if (absl::IsFailedPrecondition(answer.status()))
      return Error(absl::StatusCode::kFailedPrecondition, "aws_tls_failed",
                   absl::StrCat(endpoint_, ": ", answer.status().message()),
                   "install ca-certificates, or name the authority of a private endpoint in "
                   "walduct.sink.….ssl.ca");
    return Unreachable(endpoint_, answer.status().message());
  }
  if (answer->status == 200) return std::move(answer->body);
  const absl::Status error = ErrorIn(*answer, is_form, endpoint_);
  if (absl::IsUnauthenticated(error)) credentials_->Discard();
  return error;
}

void Service::EndAt(absl::Duration deadline) {
  deadline_ = deadline;
  credentials_->EndAt(deadline);
}

void Service::StopWhen(const std::function<bool()>& stopping) {
  client_->StopWhen(stopping);
  credentials_->StopWhen(stopping);
}

void Service::Interrupt() {
  client_->Interrupt();
  credentials_->Interrupt();
}

}  // namespace walduct::aws
