#include "http/client.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "http/curl_library.h"

namespace walduct::http {
namespace {

size_t Receive(char* bytes, size_t size, size_t count, void* body) {
  static_cast<std::string*>(body)->append(bytes, size * count);
  return size * count;
}

// "http://user:password@host:1" names a password.
std::string WithoutLogin(const std::string& base) {
  const size_t at = base.rfind('@');
  const size_t begin = base.find("://");
  if (at == std::string::npos || begin == std::string::npos || at < begin) return base;
  return base.substr(0, begin + 3) + base.substr(at + 1);
}

using Easy = std::unique_ptr<CURL, decltype(CurlLibrary::easy_cleanup)>;

Easy NewRequest(const CurlLibrary& curl, const std::string& url, absl::Duration timeout) {
  Easy easy(curl.easy_init(), curl.easy_cleanup);
  const long milliseconds = static_cast<long>(absl::ToInt64Milliseconds(timeout));
  curl.easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl.easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl.easy_setopt(easy.get(), CURLOPT_NOPROXY, "*");
  curl.easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, milliseconds);
  return easy;
}

absl::StatusOr<Response> Perform(const CurlLibrary& curl, const Easy& easy) {
  Response response;
  curl.easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, &Receive);
  curl.easy_setopt(easy.get(), CURLOPT_WRITEDATA, &response.body);
  const CURLcode code = curl.easy_perform(easy.get());
  if (code != CURLE_OK) return absl::UnavailableError(curl.easy_strerror(code));
  long status = 0;
  curl.easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
  const char* type = nullptr;
  curl.easy_getinfo(easy.get(), CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) response.content_type = type;
  return response;
}

}  // namespace

absl::StatusOr<Response> Get(const std::string& base, const std::string& path,
                             absl::Duration timeout) {
  return Send("GET", base, path, timeout);
}

absl::StatusOr<Response> Send(const std::string& method, const std::string& base,
                              const std::string& path, absl::Duration timeout) {
  absl::string_view place = base;
  const bool known =
      absl::ConsumePrefix(&place, "http://") || absl::ConsumePrefix(&place, "https://");
  if (!known || place.empty() || absl::StrContains(absl::StripSuffix(place, "/"), "/")) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", WithoutLogin(base), "' is not a listener's URL; write http://HOST:PORT"));
  }
  ASSIGN_OR_RETURN(const CurlLibrary* curl, CurlLibrary::Load());
  const Easy easy = NewRequest(*curl, absl::StrCat(absl::StripSuffix(base, "/"), path), timeout);
  if (method != "GET") {
    curl->easy_setopt(easy.get(), CURLOPT_CUSTOMREQUEST, method.c_str());
    curl->easy_setopt(easy.get(), CURLOPT_POSTFIELDSIZE, 0L);
    curl->easy_setopt(easy.get(), CURLOPT_POSTFIELDS, "");
  }
  absl::StatusOr<Response> response = Perform(*curl, easy);
  if (response.ok()) return response;
  return Error(
      absl::StatusCode::kUnavailable, "status_unreachable",
      absl::StrCat("nobody answers at ", WithoutLogin(base), ": ", response.status().message()),
      "start walduct with --listen HOST:PORT, and name that with --url");
}

absl::StatusOr<Response> PostForm(const Form& form) {
  ASSIGN_OR_RETURN(const CurlLibrary* curl, CurlLibrary::Load());
  const Easy easy = NewRequest(*curl, form.url, form.timeout);
  curl->easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl->easy_setopt(easy.get(), CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
  curl->easy_setopt(easy.get(), CURLOPT_USERNAME, form.user.c_str());
  curl->easy_setopt(easy.get(), CURLOPT_PASSWORD, form.password.c_str());
  curl->easy_setopt(easy.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(form.body.size()));
  curl->easy_setopt(easy.get(), CURLOPT_POSTFIELDS, form.body.c_str());
  if (!form.ca_file.empty()) curl->easy_setopt(easy.get(), CURLOPT_CAINFO, form.ca_file.c_str());
  curl_blob pem = {const_cast<char*>(form.ca_pem.data()), form.ca_pem.size(), CURL_BLOB_COPY};
  if (!form.ca_pem.empty()) curl->easy_setopt(easy.get(), CURLOPT_CAINFO_BLOB, &pem);
  absl::StatusOr<Response> response = Perform(*curl, easy);
  if (response.ok()) return response;
  return Error(absl::StatusCode::kUnavailable, "http_unreachable",
               absl::StrCat(form.url, ": ", response.status().message()));
}

}  // namespace walduct::http
