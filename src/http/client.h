// Client: requests over libcurl, one at a time; connections stay open in between. And what commands
// that end at once ask with it.
//
// Thread-safety: one thread sends; Interrupt from any.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "http/curl_library.h"
#include "http/message.h"

namespace walduct::http {

// Of files, and of texts in PEM. What is empty is not there.
struct ClientTls {
  std::string ca_file = {}, ca_pem = {};  // authorities to trust; neither: the system's
  std::string certificate_file = {}, certificate_pem = {};  // shown to the server
  std::string key_file = {}, key_pem = {};
  std::string store_file = {};    // PKCS12 with key and certificate, in place of these
  std::string key_password = {};  // of the key, or of the store
  bool any_name = false;          // the server's certificate may name another host
};

struct ClientOptions {
  std::string basic = {}, bearer = {};  // "user:password", or a token; empty: neither
  std::string sigv4 = {};               // "aws:amz:REGION:SERVICE": requests are signed by SetLogin
  std::vector<std::pair<std::string, std::string>> headers = {};  // sent with every request
  std::string proxy = {};  // "host:port"; empty: none, whatever the environment says
  absl::Duration connect_timeout = absl::InfiniteDuration();
  absl::Duration timeout = absl::InfiniteDuration();  // of a whole request
  ClientTls tls = {};
};

struct ClientRequest {
  std::string method = "GET";
  std::string url = {};
  std::string body = {};                  // of no GET
  std::vector<std::string> headers = {};  // "Name: value"
};

class TransferLoop;

class Client {
 public:
  static constexpr size_t kMaxBody = 16 << 20;

  // Reads the certificates. FailedPrecondition: one cannot be used, or libcurl_missing, or
  // libcurl_too_old to sign.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options);
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options,
                                                        const CurlLibrary& curl);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Any answer of a server is OK.
  //   Unavailable         nobody answered
  //   FailedPrecondition  the server's certificate is not trusted, or it wants another one
  //   Cancelled           interrupted
  absl::StatusOr<Response> Send(const ClientRequest& request);

  // Whether somebody had taken the connection of the last request that nobody answered.
  bool connected() const { return connected_; }

  // Of a whole request, from the next one on; connecting takes no longer. Positive.
  void SetTimeout(absl::Duration timeout);
  // "name:password", from the next request on.
  void SetLogin(const std::string& login);

  // Ends what is being sent, and all that comes.
  void Interrupt();
  // Asked by who sends while it waits (Stopping): true is an Interrupt. Null: nobody is.
  void StopWhen(std::function<bool()> stopping) { stopping_ = std::move(stopping); }

 private:
  explicit Client(const CurlLibrary& curl);

  absl::Status SetUp(const ClientOptions& options);
  void AddHeader(const std::string& header);
  CURLcode Perform();
  absl::Status Failure(CURLcode code) const;
  static size_t Receive(char* bytes, size_t size, size_t count, void* body);

  const CurlLibrary& curl_;
  CURL* easy_ = nullptr;
  std::unique_ptr<TransferLoop> loop_;
  curl_slist* headers_ = nullptr;
  char error_[CURL_ERROR_SIZE] = {};
  absl::Duration connect_timeout_;
  bool connected_ = false;
  std::atomic<bool> interrupted_{false};
  std::function<bool()> stopping_;
};

// Where a process listens.
struct Server {
  std::string url;  // http or https://host:port, with "user:password@" where it asks for one
  ClientTls tls = {};
};

// The URL as messages show it: without name and password.
std::string WithoutLogin(const std::string& url);

// Blocks. Unavailable status_unreachable: nobody answers there; status_untrusted: somebody who is
// not trusted, or who trusts nobody without a certificate; InvalidArgument: no such URL;
// FailedPrecondition: libcurl_missing, or a certificate cannot be used.
absl::StatusOr<Response> Get(const Server& server, const std::string& path, absl::Duration timeout);

// The same with another method ("PUT", "POST"); body: JSON, empty: none.
absl::StatusOr<Response> Send(const std::string& method, const Server& server,
                              const std::string& path, absl::Duration timeout,
                              const std::string& body = {});

// A form sent with a user's name and password.
struct Form {
  std::string url;  // http or https
  std::string user;
  std::string password;
  std::string body;     // application/x-www-form-urlencoded
  std::string ca_file;  // of authorities to trust, PEM; both empty: the system's
  std::string ca_pem;
  absl::Duration timeout;
};
// Blocks. Any answer is OK. Unavailable http_unreachable: nobody answered, or who did is not
// trusted; FailedPrecondition libcurl_missing.
absl::StatusOr<Response> PostForm(const Form& form);

}  // namespace walduct::http
