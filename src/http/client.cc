#include "http/client.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/stopping.h"
#include "http/easy_options.h"
#include "http/transfer_loop.h"

namespace walduct::http {
namespace {

constexpr absl::Duration kLook = absl::Seconds(1);

constexpr char kUntrusted[] =
    "--ca FILE names the authorities (PEM) that vouch for it, --cert and --key what it asks for";
constexpr char kSilent[] =
    "what listens there does not answer: it is suspended (kill -CONT PID lets it go on) or hangs; "
    "as root, ss -ltnp shows its PID by the port; its log says what it did last";
constexpr char kNobody[] =
    "the process has ended or was never started, or listens elsewhere: walduct run where --listen "
    "HOST:PORT says, walduct serve where listeners of its worker file says; --url names that "
    "place. walduct doctor -f FILE -w FILE looks at the servers without it";

// Libcurl's words for one that takes a connection and says nothing.
bool IsSilence(absl::string_view text) { return absl::StrContains(text, "Operation timed out"); }

absl::Status TooOld(absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "libcurl_too_old",
               absl::StrCat("libcurl signs no requests to AWS: ", why),
               "install libcurl 7.75 or later, or the program of a release, which has one inside");
}

bool IsAboutTrust(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
         code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const ClientOptions& options) {
  ASSIGN_OR_RETURN(const CurlLibrary* curl, CurlLibrary::Load());
  return Create(options, *curl);
}

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const ClientOptions& options,
                                                       const CurlLibrary& curl) {
  std::unique_ptr<Client> client(new Client(curl));
  RETURN_IF_ERROR(client->SetUp(options));
  return client;
}

Client::Client(const CurlLibrary& curl) : curl_(curl) {}

Client::~Client() {
  if (easy_ != nullptr) curl_.easy_cleanup(easy_);
  curl_.slist_free_all(headers_);
}

void Client::AddHeader(const std::string& header) {
  headers_ = curl_.slist_append(headers_, header.c_str());
}

absl::Status Client::SetUp(const ClientOptions& options) {
  connect_timeout_ = options.connect_timeout;
  easy_ = curl_.easy_init();
  if (easy_ == nullptr)
    return Error(absl::StatusCode::kFailedPrecondition, "libcurl_missing",
                 "libcurl does not start");
  ASSIGN_OR_RETURN(loop_, TransferLoop::Create(curl_));
  loop_->Prepare(easy_);
  curl_.easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_);
  curl_.easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &Client::Receive);
  if (options.sigv4.empty()) {
    AddHeader("Expect:");
  } else {
    // Signed would be that header, too, which is then not sent: it is sent, and nobody waits.
    curl_.easy_setopt(easy_, CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
    const CURLcode signs = curl_.easy_setopt(easy_, CURLOPT_AWS_SIGV4, options.sigv4.c_str());
    // It would send the keys themselves.
    if (signs != CURLE_OK) return TooOld(curl_.easy_strerror(signs));
  }
  for (const auto& [name, value] : options.headers) AddHeader(absl::StrCat(name, ": ", value));
  if (!options.basic.empty()) {
    curl_.easy_setopt(easy_, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    curl_.easy_setopt(easy_, CURLOPT_USERPWD, options.basic.c_str());
  }
  if (!options.bearer.empty()) AddHeader(absl::StrCat("Authorization: Bearer ", options.bearer));
  return SetEasyOptions(curl_, easy_, options, error_);
}

void Client::SetTimeout(absl::Duration timeout) {
  const auto set = [this](CURLoption option, absl::Duration time) {
    const long millis = static_cast<long>(absl::ToInt64Milliseconds(time));
    curl_.easy_setopt(easy_, option, std::max(millis, 1L));  // 0 is none
  };
  set(CURLOPT_TIMEOUT_MS, timeout);
  set(CURLOPT_CONNECTTIMEOUT_MS, std::min(timeout, connect_timeout_));
}

void Client::SetLogin(const std::string& login) {
  curl_.easy_setopt(easy_, CURLOPT_USERPWD, login.c_str());
}

size_t Client::Receive(char* bytes, size_t size, size_t count, void* body) {
  auto* const text = static_cast<std::string*>(body);
  if (text->size() + size * count > kMaxBody) return 0;
  text->append(bytes, size * count);
  return size * count;
}

absl::StatusOr<Response> Client::Send(const ClientRequest& request) {
  Response response;
  error_[0] = '\0';
  curl_.easy_setopt(easy_, CURLOPT_URL, request.url.c_str());
  curl_.easy_setopt(easy_, CURLOPT_WRITEDATA, &response.body);
  if (request.method == "GET") {
    curl_.easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
  } else {
    curl_.easy_setopt(easy_, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
    curl_.easy_setopt(easy_, CURLOPT_POSTFIELDS, request.body.c_str());
  }
  curl_.easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_slist* headers = nullptr;
  for (const curl_slist* all = headers_; all != nullptr; all = all->next)
    headers = curl_.slist_append(headers, all->data);
  for (const std::string& header : request.headers)
    headers = curl_.slist_append(headers, header.c_str());
  curl_.easy_setopt(easy_, CURLOPT_HTTPHEADER, headers);
  const CURLcode code = Perform();
  curl_.easy_setopt(easy_, CURLOPT_HTTPHEADER, nullptr);
  curl_.slist_free_all(headers);
  if (interrupted_) return absl::CancelledError("interrupted");
  if (code != CURLE_OK) {
    curl_off_t connected = 0;  // after so many microseconds
    curl_.easy_getinfo(easy_, CURLINFO_CONNECT_TIME_T, &connected);
    connected_ = connected > 0;
    return Failure(code);
  }
  long status = 0;
  curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
  const char* type = nullptr;
  curl_.easy_getinfo(easy_, CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) response.content_type = type;
  return response;
}

CURLcode Client::Perform() {
  loop_->Add(easy_);
  const absl::Duration wait = stopping_ ? kStoppingLook : kLook;
  while (!interrupted_) {
    const auto& ended = loop_->Run(wait);
    if (!ended.empty()) return ended[0].code;
    if (stopping_ && stopping_()) interrupted_ = true;
  }
  loop_->Remove(easy_);
  return CURLE_ABORTED_BY_CALLBACK;
}

absl::Status Client::Failure(CURLcode code) const {
  absl::string_view text = error_[0] != '\0' ? error_ : curl_.easy_strerror(code);
  // "Failed to connect to HOST port PORT after 0 ms: …": whoever asked knows where.
  const size_t after = text.find(" ms: ");
  if (absl::StartsWith(text, "Failed to connect to ") && after != absl::string_view::npos)
    text.remove_prefix(after + 5);
  return IsAboutTrust(code) ? absl::FailedPreconditionError(text) : absl::UnavailableError(text);
}

void Client::Interrupt() {
  interrupted_ = true;
  loop_->Wake();
}

std::string WithoutLogin(const std::string& url) {
  const size_t at = url.rfind('@');
  const size_t begin = url.find("://");
  if (at == std::string::npos || begin == std::string::npos || at < begin) return url;
  return url.substr(0, begin + 3) + url.substr(at + 1);
}

namespace {

// Or none. place: "name:password@[::1]:8083".
bool HasPort(absl::string_view place) {
  const absl::string_view host = place.substr(place.rfind('@') + 1);
  const size_t colon = host.rfind(':'), bracket = host.rfind(']');
  if (colon == absl::string_view::npos || (bracket != absl::string_view::npos && bracket > colon))
    return true;
  int port = 0;
  return absl::SimpleAtoi(host.substr(colon + 1), &port) && port > 0 && port <= 65535;
}

}  // namespace

absl::StatusOr<Response> Get(const Server& server, const std::string& path,
                             absl::Duration timeout) {
  return Send("GET", server, path, timeout);
}

absl::StatusOr<Response> Send(const std::string& method, const Server& server,
                              const std::string& path, absl::Duration timeout,
                              const std::string& body) {
  const std::string& base = server.url;
  absl::string_view place = base;
  const bool known =
      absl::ConsumePrefix(&place, "http://") || absl::ConsumePrefix(&place, "https://");
  absl::ConsumeSuffix(&place, "/");
  if (!known || place.empty() || absl::StrContains(place, "/") || !HasPort(place)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", WithoutLogin(base), "' is not a listener's URL; write http://HOST:PORT"));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Client> client,
                   Client::Create({.timeout = timeout, .tls = server.tls}));
  absl::StatusOr<Response> response =
      client->Send({.method = method,
                    .url = absl::StrCat(absl::StripSuffix(base, "/"), path),
                    .body = body,
                    // Without a body, too: libcurl would say that it is a form, which is refused.
                    .headers = {"Content-Type: application/json"}});
  if (response.ok()) return response;
  const absl::string_view why = response.status().message();
  if (absl::IsFailedPrecondition(response.status())) {
    return Error(absl::StatusCode::kUnavailable, "status_untrusted",
                 absl::StrCat("who answers at ", WithoutLogin(base), " is not trusted: ", why),
                 kUntrusted);
  }
  return Error(absl::StatusCode::kUnavailable, "status_unreachable",
               absl::StrCat("nobody answers at ", WithoutLogin(base), ": ", why),
               IsSilence(why) ? kSilent : kNobody);
}

absl::StatusOr<Response> PostForm(const Form& form) {
  const auto unreachable = [&](const absl::Status& why) {
    return Error(absl::StatusCode::kUnavailable, "http_unreachable",
                 absl::StrCat(form.url, ": ", why.message()));
  };
  const absl::StatusOr<std::unique_ptr<Client>> client =
      Client::Create({.basic = absl::StrCat(form.user, ":", form.password),
                      .timeout = form.timeout,
                      .tls = {.ca_file = form.ca_file, .ca_pem = form.ca_pem}});
  if (!client.ok()) {
    return ErrorReason(client.status()).empty() ? unreachable(client.status()) : client.status();
  }
  absl::StatusOr<Response> response =
      (*client)->Send({.method = "POST", .url = form.url, .body = form.body});
  if (response.ok()) return response;
  return unreachable(response.status());
}

}  // namespace walduct::http
