#include "serve/rest/forwarder.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/percent.h"
#include "base/status_macros.h"
#include "serve/rest/answers.h"
#include "serve/rest/internal_requests.h"

namespace walduct::serve {
namespace {

// Longer than the longest request takes, that for a connector to end.
constexpr absl::Duration kTimeout = absl::Seconds(60);
constexpr absl::Duration kConnect = absl::Seconds(3);
// Of a page: less than who asks for it waits (cli/running_process.cc).
constexpr absl::Duration kPage = absl::Seconds(3);

// "": it was not sent on yet.
std::string Hop(const http::Request& request) {
  const auto found = request.query.find("forward");
  return found == request.query.end() ? "" : found->second;
}

// As it is sent on: libcurl would wait for a body in answer to HEAD, which nobody is sent.
http::Request NextHop(const http::Request& request) {
  http::Request next;
  next.method = request.method == "HEAD" ? "GET" : request.method;
  next.path = request.path;
  next.query = request.query;
  next.query.erase("forward");
  next.query.emplace("forward", Hop(request).empty() ? "true" : "false");
  next.body = request.body;
  return next;
}

// It was refused unread: to sign it with another key does nothing twice.
bool IsWronglySigned(const http::Response& answer) {
  return answer.status == 403 && absl::StrContains(answer.body, "invalid signature");
}

// taken: whether somebody took the connection.
absl::StatusOr<http::Response> Sent(const std::string& url, const http::Request& request,
                                    http::ClientOptions options, const BetweenWorkers& between,
                                    bool* taken) {
  options.tls = between.tls;
  ASSIGN_OR_RETURN(const auto client, http::Client::Create(options));
  const http::Request next = NextHop(request);
  http::ClientRequest sent{.method = next.method,
                           .url = absl::StrCat(url, TargetOf(next.path, next.query)),
                           .body = next.body};
  sent.headers.emplace_back("Accept: application/json");
  sent.headers.emplace_back("Content-Type: application/json");  // also where libcurl names another
  if (!request.authorization.empty())
    sent.headers.push_back(absl::StrCat("Authorization: ", request.authorization));
  std::vector<access::Signature> signatures;
  if (between.keys != nullptr) signatures = between.keys->Sign(ForwardedText(next));
  const std::vector<std::string> unsigned_headers = sent.headers;
  http::Response answer;
  size_t tried = 0;
  do {
    sent.headers = unsigned_headers;
    if (tried < signatures.size()) {
      const access::Signature& one = signatures[tried];
      sent.headers.push_back(absl::StrCat("X-Connect-Authorization: ", one.value));
      sent.headers.push_back(
          absl::StrCat("X-Connect-Request-Signature-Algorithm: ", one.algorithm));
    }
    absl::StatusOr<http::Response> got = client->Send(sent);
    *taken |= got.ok() || client->connected();
    ASSIGN_OR_RETURN(answer, std::move(got));
  } while (++tried < signatures.size() && IsWronglySigned(answer));
  answer.headers.clear();
  return answer;
}

}  // namespace

bool MayForward(const http::Request& request) {
  return !absl::EqualsIgnoreCase(Hop(request), "false");
}

std::optional<http::Response> Forward(const std::string& url, const http::Request& request,
                                      const BetweenWorkers& between, std::string* why) {
  bool taken = false;
  const absl::StatusOr<http::Response> answer =
      Sent(url, request, {.connect_timeout = kConnect, .timeout = kTimeout}, between, &taken);
  if (answer.ok()) return *answer;
  if (!taken) {
    *why = std::string(answer.status().message());
    return std::nullopt;
  }
  return ErrorAnswer(
      503, absl::StrCat("The worker at ", url,
                        " has to do this, and does not answer: ", answer.status().message(),
                        ". It is not known whether it did; look at the connector, "
                        "and ask again in some seconds"));
}

http::Response ForwardPage(const std::string& url, const http::Request& request,
                           const BetweenWorkers& between) {
  bool taken = false;
  const absl::StatusOr<http::Response> answer =
      Sent(url, request, {.connect_timeout = kPage / 2, .timeout = kPage}, between, &taken);
  if (answer.ok()) return *answer;
  return ErrorAnswer(
      503, absl::StrCat("The worker at ", url, ", which has this connector, does not answer: ",
                        answer.status().message()));
}

}  // namespace walduct::serve
