#include "http/listen_properties.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace walduct::http {
namespace {

using enum config::PropertyType;

std::string CheckAddress(absl::string_view value) {
  return std::string(ParseListen(value).status().message());
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "walduct.listen",
     .type = kString,
     .doc = "HOST:PORT, or https://HOST:PORT, on which the process answers HTTP requests: "
            "/metrics, /livez, /readyz, /health, /status, /notifications and the reading ones of "
            "Kafka Connect's "
            "REST interface; see docs/metrics.md. Without it nothing listens. The flag --listen "
            "wins.",
     .fix = "use HOST:PORT, such as 127.0.0.1:8083",
     .validator = CheckAddress},
};

}  // namespace

absl::Span<const config::PropertyDefinition> ListenProperties() { return kRows; }

absl::StatusOr<ListenOptions> ParseListen(absl::string_view text) {
  constexpr absl::string_view kHttps = "https://";
  const bool encrypted = absl::StartsWithIgnoreCase(text, kHttps);
  if (encrypted) text = absl::StripSuffix(text.substr(kHttps.size()), "/");
  ASSIGN_OR_RETURN(Address address, ParseAddress(text));
  return ListenOptions{.address = std::move(address), .encrypted = encrypted};
}

ListenOptions BuildListen(const config::PropertySet& properties) {
  if (!properties.IsSet("walduct.listen")) return {};
  return ParseListen(properties.Text("walduct.listen")).value_or(ListenOptions());
}

}  // namespace walduct::http
