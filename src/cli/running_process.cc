#include "cli/running_process.h"

#include <rapidjson/document.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/json.h"
#include "base/shell_word.h"
#include "base/status_macros.h"
#include "cli/arguments.h"
#include "http/address.h"
#include "names/called.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(5);
constexpr absl::Duration kSlow = absl::Minutes(2);
constexpr char kDefaultListener[] = "127.0.0.1:8083";

absl::Status NotWalduct(const http::Server& server) {
  return Error(absl::StatusCode::kFailedPrecondition, "not_walduct",
               absl::StrCat("who answers at ", http::WithoutLogin(server.url),
                            " is no walduct, and nothing was changed there: it has no /status; a "
                            "worker of Kafka Connect has the same port by default"),
               "--url names the walduct that is meant; what a worker of Kafka Connect is to do it "
               "is told by curl, as its documentation has it");
}

}  // namespace

std::string UrlOfListener(absl::string_view listen) {
  const std::string written(listen);
  const bool https = absl::ConsumePrefix(&listen, "https://");
  absl::StatusOr<http::Address> address = http::ParseAddress(listen);
  if (!address.ok()) return written;
  if (address->host == "0.0.0.0") address->host = "127.0.0.1";
  if (address->host == "::") address->host = "::1";
  return absl::StrCat(https ? "https://" : "http://", address->ToString());
}

http::Server ServerOf(const Arguments& arguments) {
  const std::string listen = arguments.listen.empty() ? kDefaultListener : arguments.listen;
  // Copied out of a sentence.
  const size_t end = arguments.url.find_last_not_of(",;.") + 1;
  return {.url = arguments.url.empty() ? UrlOfListener(listen) : arguments.url.substr(0, end),
          .tls = {.ca_file = arguments.server_tls.ca,
                  .certificate_file = arguments.server_tls.certificate,
                  .key_file = arguments.server_tls.key}};
}

absl::StatusOr<std::string> Ask(const http::Server& server, const std::string& path) {
  absl::StatusOr<http::Response> answer = http::Get(server, path, kTimeout);
  if (!answer.ok()) return answer.status();
  if (answer->status == 200) return std::move(answer->body);
  if (answer->status == 404 && path == "/status") return NotWalduct(server);
  return absl::UnavailableError(
      answer->body.empty() ? absl::StrCat("HTTP ", answer->status)
                           : std::string(absl::StripTrailingAsciiWhitespace(answer->body)));
}

absl::StatusOr<std::string> AskSlowly(const http::Server& server, const std::string& path) {
  // One that is suspended takes connections and says nothing: that is told soon.
  RETURN_IF_ERROR(http::Get(server, "/livez", kTimeout).status());
  absl::StatusOr<http::Response> answer = http::Get(server, path, kSlow);
  if (!answer.ok()) return answer.status();
  if (answer->status == 200) return std::move(answer->body);
  if (answer->status == 404) {
    RETURN_IF_ERROR(CheckWalduct(server));
    return Error(absl::StatusCode::kNotFound, "connector_unknown",
                 absl::StrCat("the process at ", http::WithoutLogin(server.url),
                              " has no such connector, or is of another version"),
                 absl::StrCat(Typed(server, "status", ""), " lists its connectors"));
  }
  return absl::UnavailableError(MessageIn(answer->body, answer->status));
}

std::string Typed(const http::Server& server, absl::string_view verb, absl::string_view name) {
  const bool is_default = server.url == UrlOfListener(kDefaultListener);
  return names::Command({.who = name.empty() ? "" : ShellWord(name),
                         .where = is_default ? "" : http::WithoutLogin(server.url)},
                        verb);
}

absl::Status CheckWalduct(const http::Server& server) {
  // A page that Kafka Connect has not. Of no connector: a large process has a long answer.
  const absl::StatusOr<http::Response> answer = http::Get(server, "/status?connector=", kTimeout);
  if (!answer.ok() || answer->status != 404) return absl::OkStatus();
  return NotWalduct(server);
}

absl::Status UnknownConnector(const http::Server& server, const std::string& name) {
  RETURN_IF_ERROR(CheckWalduct(server));
  std::string there;
  if (const absl::StatusOr<std::string> all = Ask(server, "/connectors"); all.ok()) {
    const rapidjson::Document names = json::Parse(*all);
    if (names.IsArray()) {
      for (const rapidjson::Value& one : names.GetArray())
        if (one.IsString()) absl::StrAppend(&there, there.empty() ? "" : ", ", one.GetString());
    }
  }
  return Error(absl::StatusCode::kFailedPrecondition, "connector_unknown",
               absl::StrCat("no connector is named '", name,
                            "'; there are: ", there.empty() ? "none" : there));
}

std::string MessageIn(const std::string& body, int status) {
  const rapidjson::Document parsed = json::Parse(body);
  if (json::FindString(parsed, "message") != nullptr) return json::TextIn(parsed, "message");
  return absl::StrCat("HTTP ", status);
}

}  // namespace walduct::cli
