#include "sink/rabbitmq/rabbitmq_server.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "rabbitmq/uri.h"

namespace walduct::sink {
namespace {

constexpr int kPlainPort = 5672, kTlsPort = 5671;

std::string Named(absl::string_view name) {
  return absl::StrCat("sink.rabbitmq.connection.", name);
}

// [::1]:5672, host:5672, host.
rabbitmq::Address AddressOf(absl::string_view text, int default_port) {
  const size_t bracket = text.find(']');
  const size_t colon = text.find(':', bracket == absl::string_view::npos ? 0 : bracket);
  rabbitmq::Address address{.host = std::string(text.substr(0, colon)), .port = default_port};
  if (bracket != absl::string_view::npos) address.host = std::string(text.substr(1, bracket - 1));
  int port = 0;
  if (colon != absl::string_view::npos && absl::SimpleAtoi(text.substr(colon + 1), &port))
    address.port = port;
  return address;
}

// Of two, what is set goes before the address.
class Parts {
 public:
  explicit Parts(const config::PropertySet& properties) : properties_(properties) {
    if (auto uri = rabbitmq::ParseUri(properties.Text(Named("uri"))); uri.ok())
      uri_ = *std::move(uri);
  }
  const std::optional<rabbitmq::Uri>& uri() const { return uri_; }
  std::string Text(absl::string_view name, std::string rabbitmq::Uri::*part) const {
    const std::string property = Named(name);
    return uri_ && !properties_.IsSet(property) ? *uri_.*part : properties_.Text(property);
  }
  int Number(absl::string_view name, std::optional<int> rabbitmq::Uri::*part) const {
    const std::string property = Named(name);
    return uri_ && *uri_.*part && !properties_.IsSet(property)
               ? *(*uri_.*part)
               : static_cast<int>(properties_.Integer(property));
  }

 private:
  const config::PropertySet& properties_;
  std::optional<rabbitmq::Uri> uri_;
};

rabbitmq::RabbitTls TlsOf(const config::PropertySet& properties, bool asked_by_uri) {
  const auto text = [&](absl::string_view name) { return properties.Text(Named(name)); };
  rabbitmq::RabbitTls tls;
  tls.enabled = asked_by_uri || properties.Boolean(Named("ssl.enabled"));
  tls.stores = {.trust_store = text("ssl.trust.store"),
                .trust_store_password = text("ssl.trust.store.password"),
                .key_store = text("ssl.key.store"),
                .key_store_password = text("ssl.key.store.password")};
  tls.checks_name = properties.Boolean(Named("ssl.verify.hostname"));
  tls.checks_certificate = properties.Boolean(Named("ssl.validate.server.certificate")) ||
                           tls.checks_name || !tls.stores.trust_store.empty() ||
                           !tls.stores.key_store.empty();
  return tls;
}

}  // namespace

std::vector<std::string> AddressesIn(absl::string_view value) {
  std::vector<std::string> addresses;
  for (absl::string_view one : absl::StrSplit(value, ',', absl::SkipWhitespace()))
    addresses.emplace_back(absl::StripAsciiWhitespace(one));
  return addresses;
}

rabbitmq::RabbitOptions BuildRabbitMqServer(const config::PropertySet& properties) {
  using rabbitmq::Uri;
  const Parts parts(properties);
  rabbitmq::RabbitOptions server;
  server.tls = TlsOf(properties, parts.uri() && parts.uri()->tls);
  int port = server.tls.enabled ? kTlsPort : kPlainPort;
  if (parts.uri()) port = parts.uri()->port;
  if (properties.IsSet(Named("port"))) port = static_cast<int>(properties.Integer(Named("port")));
  for (const std::string& address : AddressesIn(properties.Text("walduct.sink.rabbitmq.addresses")))
    server.addresses.push_back(AddressOf(address, port));
  if (server.addresses.empty())
    server.addresses.push_back({.host = parts.Text("host", &Uri::host), .port = port});
  server.user = parts.Text("username", &Uri::user);
  server.password = parts.Text("password", &Uri::password);
  server.virtual_host = parts.Text("virtual.host", &Uri::virtual_host);
  server.heartbeat_seconds = parts.Number("connection.heartbeat", &Uri::heartbeat_seconds);
  server.connect_timeout =
      absl::Milliseconds(parts.Number("connection.timeout", &Uri::connect_timeout_ms));
  server.answer_timeout = properties.Milliseconds(Named("channel.rpc.timeout"));
  server.connection_name = properties.Text(Named("client.properties.connection_name"));
  return server;
}

}  // namespace walduct::sink
