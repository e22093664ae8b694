#include "redis/properties.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "config/properties/address.h"

namespace walduct::redis {

std::string CheckAddress(absl::string_view value) {
  if (value.find(',') != absl::string_view::npos)
    return "names several servers; walduct follows no cluster and no Sentinel: name one";
  const size_t colon = value.rfind(':');
  int port = 0;
  if (colon == absl::string_view::npos || colon == 0 ||
      !absl::SimpleAtoi(value.substr(colon + 1), &port) || port < 1 || port > 65535)
    return "is not host:port";
  return config::CheckHostAndPort(value);
}

RedisOptions BuildRedis(const config::PropertySet& properties, absl::string_view prefix,
                        absl::string_view other) {
  const auto name = [&](absl::string_view option) {
    std::string own = absl::StrCat(prefix, option);
    return properties.IsSet(own) ? own : absl::StrCat(other, option);
  };
  const auto text = [&](absl::string_view option) { return properties.Text(name(option)); };
  RedisOptions options;
  std::string address = text("address");
  const size_t colon = address.rfind(':');
  if (colon != std::string::npos) {
    static_cast<void>(absl::SimpleAtoi(address.substr(colon + 1), &options.port));
    address.resize(colon);
  }
  if (address.size() > 1 && address.front() == '[') address = address.substr(1, address.size() - 2);
  options.host = address;
  options.user = text("user");
  options.password = text("password");
  options.database = static_cast<int>(properties.Integer(name("db.index")));
  options.tls = {.enabled = properties.Boolean(name("ssl.enabled")),
                 .checks_name = properties.Boolean(name("ssl.hostname.verification.enabled")),
                 .trust_store = text("ssl.truststore.path"),
                 .trust_store_password = text("ssl.truststore.password"),
                 .key_store = text("ssl.keystore.path"),
                 .key_store_password = text("ssl.keystore.password")};
  options.connect_timeout = properties.Milliseconds(name("connection.timeout.ms"));
  options.answer_timeout = properties.Milliseconds(name("socket.timeout.ms"));
  return options;
}

}  // namespace walduct::redis
