#include "http/easy_options.h"

#include <string>

#include "base/status_macros.h"

namespace walduct::http {
namespace {

class Setter {
 public:
  Setter(const CurlLibrary& curl, CURL* easy, const char* error)
      : curl_(curl), easy_(easy), error_(error) {}

  void Time(CURLoption option, absl::Duration time) {
    if (time == absl::InfiniteDuration()) return;
    curl_.easy_setopt(easy_, option, static_cast<long>(absl::ToInt64Milliseconds(time)));
  }
  absl::Status Text(CURLoption option, const std::string& text) {
    return text.empty() ? absl::OkStatus() : Check(curl_.easy_setopt(easy_, option, text.c_str()));
  }
  absl::Status Blob(CURLoption option, const std::string& content) {
    if (content.empty()) return absl::OkStatus();
    curl_blob blob = {};
    blob.data = const_cast<char*>(content.data());
    blob.len = content.size();
    blob.flags = CURL_BLOB_COPY;
    return Check(curl_.easy_setopt(easy_, option, &blob));
  }
  absl::Status Tls(const ClientTls& tls) {
    RETURN_IF_ERROR(Text(CURLOPT_CAINFO, tls.ca_file));
    RETURN_IF_ERROR(Blob(CURLOPT_CAINFO_BLOB, tls.ca_pem));
    RETURN_IF_ERROR(Text(CURLOPT_SSLCERT, tls.certificate_file));
    RETURN_IF_ERROR(Text(CURLOPT_SSLKEY, tls.key_file));
    RETURN_IF_ERROR(Blob(CURLOPT_SSLCERT_BLOB, tls.certificate_pem));
    RETURN_IF_ERROR(Blob(CURLOPT_SSLKEY_BLOB, tls.key_pem));
    if (!tls.store_file.empty()) {
      RETURN_IF_ERROR(Text(CURLOPT_SSLCERTTYPE, "P12"));
      RETURN_IF_ERROR(Text(CURLOPT_SSLCERT, tls.store_file));
    }
    RETURN_IF_ERROR(Text(CURLOPT_KEYPASSWD, tls.key_password));
    if (tls.any_name) curl_.easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, 0L);
    return absl::OkStatus();
  }

 private:
  absl::Status Check(CURLcode code) {
    if (code == CURLE_OK) return absl::OkStatus();
    const bool said = error_ != nullptr && *error_ != '\0';
    return absl::FailedPreconditionError(said ? error_ : curl_.easy_strerror(code));
  }

  const CurlLibrary& curl_;
  CURL* const easy_;
  const char* const error_;
};

}  // namespace

absl::Status SetEasyOptions(const CurlLibrary& curl, CURL* easy, const ClientOptions& options,
                            const char* error) {
  Setter setter(curl, easy, error);
  curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl.easy_setopt(easy, CURLOPT_USERAGENT, "walduct");
  curl.easy_setopt(easy, CURLOPT_PROXY, options.proxy.c_str());
  // Else the environment is asked for each request which servers have none.
  if (options.proxy.empty()) curl.easy_setopt(easy, CURLOPT_NOPROXY, "*");
  setter.Time(CURLOPT_CONNECTTIMEOUT_MS, options.connect_timeout);
  setter.Time(CURLOPT_TIMEOUT_MS, options.timeout);
  return setter.Tls(options.tls);
}

}  // namespace walduct::http
