#include "serve/rest/forwarder.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/percent.h"
#include "base/status_macros.h"
#include "http/client.h"
#include "serve/rest/answers.h"

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

std::string UrlOf(const std::string& url, const http::Request& request) {
  std::string out = absl::StrCat(url, request.path);
  absl::string_view separator = "?";
  for (const auto& [name, value] : request.query) {
    if (name == "forward") continue;
    absl::StrAppend(&out, separator, EncodePercent(name, "-._~"), "=",
                    EncodePercent(value, "-._~"));
    separator = "&";
  }
  absl::StrAppend(&out, separator, "forward=", Hop(request).empty() ? "true" : "false");
  return out;
}

absl::StatusOr<http::Response> Sent(const std::string& url, const http::Request& request,
                                    const http::ClientOptions& options) {
  ASSIGN_OR_RETURN(const auto client, http::Client::Create(options));
  // Whoever asked is sent no body in answer to HEAD; libcurl would wait for one.
  http::ClientRequest sent{.method = request.method == "HEAD" ? "GET" : request.method,
                           .url = UrlOf(url, request),
                           .body = request.body};
  sent.headers.emplace_back("Accept: application/json");
  sent.headers.emplace_back("Content-Type: application/json");  // also where libcurl names another
  if (!request.authorization.empty())
    sent.headers.push_back(absl::StrCat("Authorization: ", request.authorization));
  ASSIGN_OR_RETURN(http::Response answer, client->Send(sent));
  answer.headers.clear();
  return answer;
}

}  // namespace

bool MayForward(const http::Request& request) {
  return !absl::EqualsIgnoreCase(Hop(request), "false");
}

http::Response Forward(const std::string& url, const http::Request& request) {
  const absl::StatusOr<http::Response> answer =
      Sent(url, request, {.connect_timeout = kConnect, .timeout = kTimeout});
  if (answer.ok()) return *answer;
  return ErrorAnswer(
      503, absl::StrCat("The worker at ", url,
                        " has to do this, and does not answer: ", answer.status().message(),
                        ". It is not known whether it did; look at the connector, "
                        "and ask again in some seconds"));
}

http::Response ForwardPage(const std::string& url, const http::Request& request) {
  const absl::StatusOr<http::Response> answer =
      Sent(url, request, {.connect_timeout = kPage / 2, .timeout = kPage});
  if (answer.ok()) return *answer;
  return ErrorAnswer(
      503, absl::StrCat("The worker at ", url, ", which has this connector, does not answer: ",
                        answer.status().message()));
}

}  // namespace walduct::serve
