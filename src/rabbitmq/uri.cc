#include "rabbitmq/uri.h"

#include <amqp.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace walduct::rabbitmq {

absl::StatusOr<Uri> ParseUri(absl::string_view text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('?', 1));
  std::string place = parts.first;
  amqp_connection_info found{};
  if (amqp_parse_url(place.data(), &found) != AMQP_STATUS_OK)
    return absl::InvalidArgumentError("is no address of RabbitMQ");
  Uri uri{.host = found.host,
          .user = found.user,
          .password = found.password,
          .virtual_host = found.vhost,
          .port = found.port,
          .tls = found.ssl != 0};
  for (absl::string_view one : absl::StrSplit(parts.second, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(one, absl::MaxSplits('=', 1));
    int number = 0;
    if (pair.first == "channel_max") continue;
    if (pair.first != "heartbeat" && pair.first != "connection_timeout")
      return absl::InvalidArgumentError(
          absl::StrCat("has the parameter '", pair.first,
                       "', which is none of heartbeat, connection_timeout and channel_max"));
    if (!absl::SimpleAtoi(pair.second, &number) || number < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("has the parameter '", pair.first, "', whose value is no number"));
    (pair.first == "heartbeat" ? uri.heartbeat_seconds : uri.connect_timeout_ms) = number;
  }
  return uri;
}

}  // namespace walduct::rabbitmq
