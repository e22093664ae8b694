#include "http/listen_properties.h"

#include <string>

namespace walduct::http {
namespace {

using enum config::PropertyType;

std::string CheckAddress(absl::string_view value) {
  const absl::StatusOr<Address> address = ParseAddress(value);
  return address.ok() ? "" : std::string(address.status().message());
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "walduct.listen",
     .type = kString,
     .doc = "HOST:PORT on which the process answers HTTP requests: /metrics, /livez, /readyz, "
            "/health, /status and the reading ones of Kafka Connect's REST interface; see "
            "docs/metrics.md. Without it nothing listens. The flag --listen wins.",
     .fix = "use HOST:PORT, such as 127.0.0.1:8083",
     .validator = CheckAddress},
};

}  // namespace

absl::Span<const config::PropertyDefinition> ListenProperties() { return kRows; }

ListenOptions BuildListen(const config::PropertySet& properties) {
  ListenOptions listen;
  if (!properties.IsSet("walduct.listen")) return listen;
  if (absl::StatusOr<Address> address = ParseAddress(properties.Text("walduct.listen"));
      address.ok())
    listen.address = *std::move(address);
  return listen;
}

}  // namespace walduct::http
