#include "registry/http_client.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "security/tls_properties.h"

namespace walduct::registry {
namespace {

std::string Get(const security::NamedValues& properties, const std::string& name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

absl::StatusOr<http::ClientTls> TlsOf(const HttpOptions& options) {
  const security::NamedValues java(options.tls.begin(), options.tls.end());
  security::NamedValues out = java;
  RETURN_IF_ERROR(security::TranslateTls(java, &out));
  http::ClientTls tls{.ca_file = Get(out, "ssl.ca.location"),
                      .ca_pem = Get(out, "ssl.ca.pem"),
                      .certificate_file = Get(out, "ssl.certificate.location"),
                      .certificate_pem = Get(out, "ssl.certificate.pem"),
                      .key_file = Get(out, "ssl.key.location"),
                      .key_pem = Get(out, "ssl.key.pem"),
                      .key_password = Get(out, "ssl.key.password")};
  // A container with the key and its chain.
  if (tls.certificate_file.empty() && tls.certificate_pem.empty()) {
    tls.store_file = Get(out, "ssl.keystore.location");
    const std::string password = Get(out, "ssl.keystore.password");
    if (!tls.store_file.empty() && !password.empty()) tls.key_password = password;
  }
  const auto names = java.find("ssl.endpoint.identification.algorithm");
  tls.any_name = names != java.end() && names->second.empty();
  return tls;
}

absl::Status WithReason(const absl::Status& status) {
  if (absl::IsCancelled(status) || !ErrorReason(status).empty()) return status;
  if (absl::IsUnavailable(status))
    return Error(absl::StatusCode::kUnavailable, "registry_unreachable", status.message());
  return Error(absl::StatusCode::kFailedPrecondition, "registry_tls", status.message(),
               "see schema.registry.ssl.truststore.* and schema.registry.ssl.keystore.* of the "
               "converter");
}

}  // namespace

HttpClient::HttpClient(std::unique_ptr<http::Client> client) : client_(std::move(client)) {}

absl::StatusOr<std::unique_ptr<HttpClient>> HttpClient::Create(const HttpOptions& options) {
  ASSIGN_OR_RETURN(http::ClientTls tls, TlsOf(options));
  absl::StatusOr<std::unique_ptr<http::Client>> client =
      http::Client::Create({.basic = options.basic,
                            .bearer = options.bearer,
                            .headers = options.headers,
                            .proxy = options.proxy,
                            .connect_timeout = options.connect_timeout,
                            .timeout = options.connect_timeout + options.read_timeout,
                            .tls = std::move(tls)});
  if (!client.ok()) return WithReason(client.status());
  return std::unique_ptr<HttpClient>(new HttpClient(*std::move(client)));
}

absl::StatusOr<HttpResponse> HttpClient::Send(const HttpRequest& request) {
  absl::StatusOr<HttpResponse> response = client_->Send(request);
  if (!response.ok()) return WithReason(response.status());
  return response;
}

}  // namespace walduct::registry
