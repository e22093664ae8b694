#include "serve/rest/request_rules.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/percent.h"
#include "base/utf8.h"
#include "serve/rest/answers.h"

namespace walduct::serve {
namespace {

constexpr size_t kMaxPath = 8192;

// "application/json; charset=utf-8" → "application/json"
std::string TypeOf(absl::string_view media) {
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(media.substr(0, media.find(';'))));
}

bool StandsForJson(absl::string_view type) {
  return type == "*" || type == "*/*" || type == "application/*" || type == "application/json";
}

std::vector<std::string> Accepted(const http::Request& request) {
  std::vector<std::string> types;
  for (const absl::string_view range : absl::StrSplit(request.accept, ',')) {
    if (std::string type = TypeOf(range); !type.empty()) types.push_back(std::move(type));
  }
  return types;
}

// Java reads no such header.
http::Response Unreadable() { return Empty(400); }

bool HasBadEncoding(absl::string_view path) {
  for (size_t i = path.find('%'); i != absl::string_view::npos; i = path.find('%', i + 1)) {
    if (i + 2 >= path.size() || !absl::ascii_isxdigit(static_cast<unsigned char>(path[i + 1])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(path[i + 2])))
      return true;
  }
  return false;
}

bool HasControl(absl::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_iscntrl(c); });
}

// The order of a Java HashSet.
constexpr std::array<absl::string_view, 7> kMethods = {"HEAD",    "DELETE", "POST", "GET",
                                                       "OPTIONS", "PUT",    "PATCH"};

}  // namespace

std::vector<std::string> SplitPath(absl::string_view path) {
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty()))
    parts.push_back(DecodePercent(part.substr(0, part.find(';'))));
  return parts;
}

std::optional<http::Response> RefusedPath(const http::Request& request) {
  const std::string& path = request.path;
  // Jetty writes its pages for these methods alone.
  const bool written =
      request.method == "GET" || request.method == "HEAD" || request.method == "POST";
  const auto page = [written](int status, absl::string_view title) {
    return written ? HtmlError(status, title) : Empty(status);
  };
  if (path.size() > kMaxPath) return page(414, "URI Too Long");
  if (absl::StrContains(path, "//")) return page(400, "Ambiguous URI empty segment");
  if (path.find_first_of(" \"<>\\^`{|}") != std::string::npos)
    return page(400, "Illegal Path Character");
  if (HasBadEncoding(path) || absl::StrContains(path, "%00")) return HtmlError(400, "Bad Request");
  const std::string decoded = DecodePercent(path);
  if (!IsValidUtf8(decoded)) return page(400, "Bad UTF-8 encoding");
  if (HasControl(decoded)) return page(400, "Suspicious Path Character");
  return std::nullopt;
}

std::optional<http::Response> RefusedMedia(const http::Request& request, bool reads_body) {
  const std::string sent = TypeOf(request.content_type);
  if (!request.content_type.empty() && !absl::StrContains(sent, "/")) return Unreadable();
  if (!sent.empty() && !StandsForJson(sent)) return ContainerError(415, "Unsupported Media Type");
  const std::vector<std::string> accepted = Accepted(request);
  if (accepted.empty() && !absl::StripAsciiWhitespace(request.accept).empty()) return Unreadable();
  if (!accepted.empty() && std::none_of(accepted.begin(), accepted.end(), StandsForJson))
    return ContainerError(406, "Not Acceptable");
  if (!reads_body || sent == "application/json") return std::nullopt;
  // Found out by who reads the body, when it is known what the client takes.
  http::Response refused = ContainerError(415, "Unsupported Media Type");
  refused.content_type = "application/json";
  return refused;
}

http::Response OptionsAnswer(const std::vector<std::string>& methods,
                             const http::Request& request) {
  std::vector<std::string> allowed;
  const auto has = [&](absl::string_view method) {
    return std::find(methods.begin(), methods.end(), method) != methods.end();
  };
  for (const absl::string_view method : kMethods) {
    const bool implied = method == "OPTIONS" || (method == "HEAD" && has("GET"));
    if (implied || has(method)) allowed.emplace_back(method);
  }
  const std::vector<std::string> accepted = Accepted(request);
  const bool text = accepted.empty() ||
                    std::any_of(accepted.begin(), accepted.end(), [](const std::string& type) {
                      return type == "*/*" || type == "text/*" || type == "text/plain";
                    });
  http::Response response{.status = 200,
                          .content_type = text ? "text/plain" : accepted[0],
                          .body = text ? absl::StrJoin(allowed, ", ") : ""};
  response.headers.emplace_back("Allow", absl::StrJoin(allowed, ","));
  return response;
}

bool IsForCluster(const http::Request& request) {
  const auto scope = request.query.find("scope");
  return scope != request.query.end() && absl::EqualsIgnoreCase(scope->second, "cluster");
}

}  // namespace walduct::serve
