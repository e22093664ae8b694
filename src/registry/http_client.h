// HttpClient: one request at a time over libcurl, which keeps its connections open in between.
//
// Thread-safety: one thread sends; Interrupt from any.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "http/curl_library.h"
#include "registry/options.h"

namespace walduct::registry {

struct HttpRequest {
  bool post = false;  // else GET
  std::string url;
  std::string body;
  std::vector<std::string> headers = {};  // "Name: value"
};

struct HttpResponse {
  long status = 0;
  std::string body;  // at most kMaxBody bytes
};

class HttpClient {
 public:
  static constexpr size_t kMaxBody = 16 << 20;

  // Reads the certificates. FailedPrecondition: one cannot be used.
  static absl::StatusOr<std::unique_ptr<HttpClient>> Create(const HttpOptions& options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any answer of a server is OK.
  //   Unavailable         nobody answered
  //   FailedPrecondition  the server's certificate is not trusted, or it wants another one
  //   Cancelled           interrupted
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request);

  // Ends what is being sent, and all that comes.
  void Interrupt();

 private:
  explicit HttpClient(const http::CurlLibrary& curl) : curl_(curl) {}

  absl::Status SetUp(const HttpOptions& options);
  absl::Status SetTls(const HttpOptions& options);
  absl::Status SetFile(CURLoption option, const std::string& path);
  absl::Status SetBlob(CURLoption option, const std::string& content);
  void AddHeader(const std::string& header);
  CURLcode Perform();
  absl::Status Failure(CURLcode code) const;
  static size_t Receive(char* bytes, size_t size, size_t count, void* body);

  const http::CurlLibrary& curl_;
  CURL* easy_ = nullptr;
  CURLM* multi_ = nullptr;
  curl_slist* headers_ = nullptr;
  char error_[CURL_ERROR_SIZE] = {};
  std::atomic<bool> interrupted_{false};
};

}  // namespace walduct::registry
