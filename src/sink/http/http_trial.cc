// HttpSender before the first record: whether the server can be reached.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "http/easy_options.h"
#include "sink/http/http_sender.h"

namespace walduct::sink {
namespace {

bool IsAboutTrust(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
         code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR;
}

}  // namespace

http::ClientOptions HttpSender::ClientOf(const HttpSinkOptions& options) {
  return {.proxy = options.proxy,
          .connect_timeout = options.timeout,
          .timeout = options.timeout,
          .tls = options.tls};
}

// As easy_perform does.
absl::StatusOr<CURLcode> HttpSender::Perform(CURL* easy, Stopping stopping) {
  loop_->Add(easy);
  while (true) {
    const auto& ended = loop_->Run(kStoppingLook);
    if (!ended.empty()) return ended[0].code;
    if (!stopping()) continue;
    loop_->Remove(easy);
    return Interrupted();
  }
}

absl::Status HttpSender::TryConnecting(absl::Duration timeout, Stopping stopping) {
  if (tokens_ != nullptr) {
    bool stopped = false;
    tokens_->StopWhen([&stopped, stopping] { return stopped = stopped || stopping(); });
    const absl::Status got = tokens_->Authorization().status();
    tokens_->StopWhen(nullptr);
    if (stopped) return Interrupted();
    RETURN_IF_ERROR(got);
  }
  if (options_.url.varies_host()) return absl::OkStatus();
  CURL* const easy = curl_.easy_init();
  char error[CURL_ERROR_SIZE] = {};
  http::ClientOptions client = ClientOf(options_);
  client.timeout = client.connect_timeout = std::min(timeout, options_.timeout);
  absl::Status status = http::SetEasyOptions(curl_, easy, client, error);
  if (status.ok()) {
    loop_->Prepare(easy);
    curl_.easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
    curl_.easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    event::Record nothing;
    const std::string url = options_.url.Of(nothing, "", true);
    curl_.easy_setopt(easy, CURLOPT_URL, url.c_str());
    const absl::StatusOr<CURLcode> done = Perform(easy, stopping);
    const CURLcode code = done.value_or(CURLE_OK);
    status = done.status();
    const absl::string_view text = error[0] != '\0' ? error : curl_.easy_strerror(code);
    if (IsAboutTrust(code)) {
      status = Error(absl::StatusCode::kFailedPrecondition, "http_tls_failed",
                     absl::StrCat(where_, ": ", text),
                     "walduct.sink.http.ssl.ca names the authorities (PEM) that vouch for it, "
                     "….ssl.certificate and ….ssl.key what it asks for");
    } else if (code != CURLE_OK) {
      status =
          Error(absl::StatusCode::kUnavailable, "http_unreachable",
                absl::StrCat(where_, ": ", text), "start the receiver, or check sink.http.url");
    }
  }
  curl_.easy_cleanup(easy);
  return status;
}

}  // namespace walduct::sink
