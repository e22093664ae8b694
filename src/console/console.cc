#include "console/console.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "config/files/config_file.h"
#include "console/assets.h"

namespace walduct::console {
namespace {

constexpr absl::string_view kPlace = "/console";
constexpr absl::string_view kSettings = "settings";
constexpr absl::string_view kTail = "tail";
constexpr absl::string_view kAsked[] = {"list", "connector", "history", "log", "config", "reason"};

// Nothing but what this process serves, no script but the console's files, no frame around it; and
// the browser itself refuses text that a script would have it read as HTML.
constexpr absl::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

// A configuration that somebody pastes: Connect's JSON, Strimzi's KafkaConnector, name=value lines.
// Nothing is resolved, checked or stored.

void Append(absl::string_view text, std::string* out) {
  AppendJsonString(IsValidUtf8(text) ? std::string(text) : ReplaceInvalidUtf8(text), out);
}

absl::Status Refused(absl::string_view message, absl::string_view hint) {
  return absl::InvalidArgumentError(
      absl::StrCat("This cannot be read: ", message, hint.empty() ? "" : "; ", hint, "."));
}

// {"properties":[["name","shop"],…],"warnings":["…"]}. InvalidArgument: it cannot be read; a
// sentence for people that says where and what to change.
absl::StatusOr<std::string> ReadPasted(absl::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == absl::string_view::npos)
    return Refused("it is empty", "paste a connector's configuration");
  const absl::StatusOr<config::ParsedFile> file = config::ReadConfigText(text);
  if (!file.ok()) return Refused(file.status().message(), ErrorHint(file.status()));
  if (!file->problems.empty()) return Refused(file->problems.front(), "");
  if (file->values.empty()) return Refused("it has no property", "write name=value, or JSON");
  std::string json = "{\"properties\":[";
  for (const auto& [name, value] : file->values) {
    json += json.back() == '[' ? "[" : ",[";
    Append(name, &json);
    json += ',';
    Append(value, &json);
    json += ']';
  }
  json += "],\"warnings\":[";
  for (const std::string& warning : file->warnings) {
    if (json.back() != '[') json += ',';
    Append(warning, &json);
  }
  return json + "]}";
}

bool IsOurs(absl::string_view path) {
  return absl::ConsumePrefix(&path, kPlace) && (path.empty() || path[0] == '/');
}

bool Reads(const std::string& method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

// What is checked is not changed by it.
bool Checks(absl::string_view path) { return absl::EndsWith(path, "/config/validate"); }

absl::string_view TypeOf(absl::string_view name) {
  if (absl::EndsWith(name, ".js")) return "text/javascript; charset=utf-8";
  if (absl::EndsWith(name, ".css")) return "text/css; charset=utf-8";
  if (absl::EndsWith(name, ".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

// FNV-1a: it tells releases apart, no more.
std::string TagOf(absl::string_view body) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : body) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return absl::StrFormat("\"%016x\"", hash);
}

http::Response Plain(int status, absl::string_view text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::string(text)};
}

http::Response Secured(http::Response response) {
  for (const auto& [name, value] :
       {std::pair<absl::string_view, absl::string_view>{"Content-Security-Policy", kPolicy},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-cache"}}) {
    response.headers.emplace_back(name, value);
  }
  return response;
}

// known: the tag of what the browser has.
http::Response Tagged(std::string type, std::string body, const std::string& known) {
  std::string tag = TagOf(body);
  http::Response response{.content_type = std::move(type)};
  if (known == tag) {
    response.status = 304;
  } else {
    response.body = std::move(body);
  }
  response.headers.emplace_back("ETag", std::move(tag));
  return response;
}

http::Response FileAnswer(const Asset& asset, const std::string& known) {
  return Tagged(std::string(TypeOf(asset.name)), std::string(asset.body), known);
}

// Of a query: the number behind that name, 0 where there is none. False: it is no number.
bool NumberIn(const http::Request& request, const std::string& name, uint64_t* number) {
  const auto found = request.query.find(name);
  return found == request.query.end() || absl::SimpleAtoi(found->second, number);
}

http::Response PastedAnswer(const http::Request& request) {
  const absl::StatusOr<std::string> read = ReadPasted(request.body);
  if (!read.ok()) return Plain(400, read.status().message());
  return {.content_type = "application/json", .body = *read};
}

}  // namespace

http::Response Console::Handle(const http::Request& request) {
  if (!parts_.options.enabled) return parts_.others->Handle(request);
  // Who takes JSON alone is a client of Connect, which has no such page.
  const bool page = IsOurs(request.path) && (request.accept != "application/json" ||
                                             absl::StartsWith(request.path, "/console/"));
  if (page) return Secured(Page(request));
  if (!MayWrite(request))
    return Plain(403, "Refused: sent by a page that may only read; see walduct.console.write.\n");
  return parts_.others->Handle(request);
}

http::Response Console::Page(const http::Request& request) const {
  // Reads a text and changes nothing: a program in the browser may ask that of its own process.
  const bool pasted = request.path == "/console/read" && request.method == "POST";
  if (!pasted && request.method != "GET" && request.method != "HEAD")
    return Plain(405, "Method Not Allowed\n");
  if (parts_.admits && !parts_.admits(request)) {
    http::Response asked = Plain(401, "User cannot access the resource.\n");
    asked.headers.emplace_back("WWW-Authenticate", R"(Basic realm="walduct", charset="UTF-8")");
    return asked;
  }
  absl::string_view name = absl::StripPrefix(request.path, kPlace);
  absl::ConsumePrefix(&name, "/");
  if (name == kSettings) return Settings();
  if (name == kTail) return Tail(request);
  if (pasted) return PastedAnswer(request);
  for (const absl::string_view what : kAsked)
    if (name == what) return Asked(what, request);
  // Its links are relative to "/", so that it works below a prefix of a proxy.
  if (name.empty() && absl::EndsWith(request.path, "/")) {
    http::Response moved = Plain(302, "");
    moved.headers.emplace_back("Location", "../console");
    return moved;
  }
  if (name.empty()) name = "index.html";
  for (const Asset& asset : Assets()) {
    if (asset.name == name) return FileAnswer(asset, request.if_none_match);
  }
  return Plain(404, "Not Found\n");
}

http::Response Console::Settings() const {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  return {.content_type = "application/json",
          .body = absl::StrCat("{\"worker\":", flag(parts_.worker),
                               ",\"write\":", flag(parts_.worker && parts_.options.write),
                               ",\"values\":", flag(parts_.options.values), "}")};
}

http::Response Console::Tail(const http::Request& request) const {
  const auto connector = request.query.find("connector");
  uint64_t after = 0;
  if (connector == request.query.end() || !NumberIn(request, "after", &after))
    return Plain(400, "connector=NAME is needed; after=NUMBER is a number\n");
  std::string body = parts_.tail(connector->second, after, parts_.options.values);
  if (body.empty()) return Plain(404, "No such connector runs.\n");
  return {.content_type = "application/json", .body = std::move(body)};
}

http::Response Console::Asked(absl::string_view what, const http::Request& request) const {
  const auto name = request.query.find("name");
  uint64_t after = 0;
  if (!NumberIn(request, "after", &after)) return Plain(400, "after=NUMBER is a number\n");
  if (name == request.query.end() && what != "list") return Plain(400, "name=NAME is needed\n");
  absl::StatusOr<std::string> body =
      parts_.ask(what, name == request.query.end() ? "" : name->second, after);
  if (body.ok()) return Tagged("application/json", *std::move(body), request.if_none_match);
  return Plain(absl::IsNotFound(body.status()) ? 404 : 500, body.status().message());
}

bool Console::MayWrite(const http::Request& request) const {
  if (Reads(request.method) || request.origin.empty()) return true;
  if (parts_.trusts && parts_.trusts(request.origin)) return true;
  // A proxy may have ended TLS.
  absl::string_view origin = request.origin;
  const bool plain = !request.encrypted && absl::ConsumePrefix(&origin, "http://");
  const bool own = (plain || absl::ConsumePrefix(&origin, "https://")) && !origin.empty() &&
                   absl::EqualsIgnoreCase(origin, request.host);
  return own && (parts_.options.write || Checks(request.path));
}

}  // namespace walduct::console
