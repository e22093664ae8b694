#include "registry/http_client.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "kafka/tls_properties.h"

namespace walduct::registry {
namespace {

constexpr int kPollMillis = 1000;

std::string Get(const kafka::Properties& properties, const std::string& name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

bool IsAboutTrust(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
         code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpClient>> HttpClient::Create(const HttpOptions& options) {
  ASSIGN_OR_RETURN(const http::CurlLibrary* curl, http::CurlLibrary::Load());
  std::unique_ptr<HttpClient> client(new HttpClient(*curl));
  RETURN_IF_ERROR(client->SetUp(options));
  return client;
}

HttpClient::~HttpClient() {
  if (easy_ != nullptr) curl_.easy_cleanup(easy_);
  if (multi_ != nullptr) curl_.multi_cleanup(multi_);
  curl_.slist_free_all(headers_);
}

void HttpClient::AddHeader(const std::string& header) {
  headers_ = curl_.slist_append(headers_, header.c_str());
}

absl::Status HttpClient::SetUp(const HttpOptions& options) {
  easy_ = curl_.easy_init();
  multi_ = curl_.multi_init();
  if (easy_ == nullptr || multi_ == nullptr)
    return Error(absl::StatusCode::kFailedPrecondition, "libcurl_missing",
                 "libcurl does not start");
  curl_.easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_);
  curl_.easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  curl_.easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_.easy_setopt(easy_, CURLOPT_USERAGENT, "walduct");
  curl_.easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &HttpClient::Receive);
  const int64_t connect = absl::ToInt64Milliseconds(options.connect_timeout);
  const int64_t whole = connect + absl::ToInt64Milliseconds(options.read_timeout);
  curl_.easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect));
  curl_.easy_setopt(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(whole));
  // Java's client knows no proxy but the one it is told.
  curl_.easy_setopt(easy_, CURLOPT_PROXY, options.proxy.c_str());
  AddHeader("Expect:");
  for (const auto& [name, value] : options.headers) AddHeader(absl::StrCat(name, ": ", value));
  if (!options.basic.empty()) {
    curl_.easy_setopt(easy_, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    curl_.easy_setopt(easy_, CURLOPT_USERPWD, options.basic.c_str());
  }
  if (!options.bearer.empty()) AddHeader(absl::StrCat("Authorization: Bearer ", options.bearer));
  return SetTls(options);
}

absl::Status HttpClient::SetBlob(CURLoption option, const std::string& content) {
  if (content.empty()) return absl::OkStatus();
  curl_blob blob = {};
  blob.data = const_cast<char*>(content.data());
  blob.len = content.size();
  blob.flags = CURL_BLOB_COPY;
  const CURLcode code = curl_.easy_setopt(easy_, option, &blob);
  return code == CURLE_OK ? absl::OkStatus() : Failure(code);
}

absl::Status HttpClient::SetFile(CURLoption option, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  const CURLcode code = curl_.easy_setopt(easy_, option, path.c_str());
  return code == CURLE_OK ? absl::OkStatus() : Failure(code);
}

absl::Status HttpClient::SetTls(const HttpOptions& options) {
  kafka::Properties tls(options.tls.begin(), options.tls.end());
  kafka::Properties out = tls;
  RETURN_IF_ERROR(kafka::TranslateTls(tls, &out));
  RETURN_IF_ERROR(SetFile(CURLOPT_CAINFO, Get(out, "ssl.ca.location")));
  RETURN_IF_ERROR(SetBlob(CURLOPT_CAINFO_BLOB, Get(out, "ssl.ca.pem")));
  RETURN_IF_ERROR(SetFile(CURLOPT_SSLCERT, Get(out, "ssl.certificate.location")));
  RETURN_IF_ERROR(SetFile(CURLOPT_SSLKEY, Get(out, "ssl.key.location")));
  RETURN_IF_ERROR(SetBlob(CURLOPT_SSLCERT_BLOB, Get(out, "ssl.certificate.pem")));
  RETURN_IF_ERROR(SetBlob(CURLOPT_SSLKEY_BLOB, Get(out, "ssl.key.pem")));
  RETURN_IF_ERROR(SetFile(CURLOPT_KEYPASSWD, Get(out, "ssl.key.password")));
  // A container with the key and its chain.
  if (const std::string store = Get(out, "ssl.keystore.location");
      !store.empty() && Get(out, "ssl.certificate.location").empty() &&
      Get(out, "ssl.certificate.pem").empty()) {
    RETURN_IF_ERROR(SetFile(CURLOPT_SSLCERTTYPE, "P12"));
    RETURN_IF_ERROR(SetFile(CURLOPT_SSLCERT, store));
    RETURN_IF_ERROR(SetFile(CURLOPT_KEYPASSWD, Get(out, "ssl.keystore.password")));
  }
  const auto names = tls.find("ssl.endpoint.identification.algorithm");
  if (names != tls.end() && names->second.empty())
    curl_.easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, 0L);
  return absl::OkStatus();
}

size_t HttpClient::Receive(char* bytes, size_t size, size_t count, void* body) {
  auto* const text = static_cast<std::string*>(body);
  if (text->size() + size * count > kMaxBody) return 0;
  text->append(bytes, size * count);
  return size * count;
}

absl::StatusOr<HttpResponse> HttpClient::Send(const HttpRequest& request) {
  HttpResponse response;
  error_[0] = '\0';
  curl_.easy_setopt(easy_, CURLOPT_URL, request.url.c_str());
  curl_.easy_setopt(easy_, CURLOPT_WRITEDATA, &response.body);
  if (request.post) {
    curl_.easy_setopt(easy_, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
    curl_.easy_setopt(easy_, CURLOPT_POSTFIELDS, request.body.c_str());
  } else {
    curl_.easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
  }
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
  if (code != CURLE_OK) return Failure(code);
  curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &response.status);
  return response;
}

CURLcode HttpClient::Perform() {
  curl_.multi_add_handle(multi_, easy_);
  int running = 1;
  while (running > 0 && !interrupted_) {
    if (curl_.multi_perform(multi_, &running) != CURLM_OK) break;
    if (running > 0 && !interrupted_) curl_.multi_poll(multi_, nullptr, 0, kPollMillis, nullptr);
  }
  CURLcode code = CURLE_ABORTED_BY_CALLBACK;
  int left = 0;
  while (const CURLMsg* const message = curl_.multi_info_read(multi_, &left)) {
    if (message->msg == CURLMSG_DONE) code = message->data.result;
  }
  curl_.multi_remove_handle(multi_, easy_);
  return code;
}

absl::Status HttpClient::Failure(CURLcode code) const {
  const absl::string_view text = error_[0] != '\0' ? error_ : curl_.easy_strerror(code);
  if (!IsAboutTrust(code))
    return Error(absl::StatusCode::kUnavailable, "registry_unreachable", text);
  return Error(absl::StatusCode::kFailedPrecondition, "registry_tls", text,
               "see schema.registry.ssl.truststore.* and schema.registry.ssl.keystore.* of the "
               "converter");
}

void HttpClient::Interrupt() {
  interrupted_ = true;
  curl_.multi_wakeup(multi_);
}

}  // namespace walduct::registry
