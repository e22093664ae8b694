#include "kafka/brokers.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/properties/address.h"

namespace walduct::kafka {
namespace {

// "SSL://host:9092"
absl::string_view WithoutProtocol(absl::string_view broker) {
  const size_t protocol = broker.find("://");
  return protocol == absl::string_view::npos ? broker : broker.substr(protocol + 3);
}

// Where the port begins in "::1:9092"; npos: it is nothing of the kind.
size_t PortOfBareAddress(absl::string_view broker) {
  const size_t last = broker.rfind(':');
  uint32_t port = 0;
  const bool is_one = last != absl::string_view::npos &&
                      absl::StrContains(broker.substr(0, last), ':') &&
                      config::IsAddress6(broker.substr(0, last)) &&
                      absl::SimpleAtoi(broker.substr(last + 1), &port) && port <= 65535;
  return is_one ? last : absl::string_view::npos;
}

}  // namespace

std::string CheckBrokers(absl::string_view list) {
  for (absl::string_view broker : absl::StrSplit(list, ',', absl::SkipWhitespace())) {
    broker = WithoutProtocol(absl::StripAsciiWhitespace(broker));
    if (config::IsAddress6(broker) || PortOfBareAddress(broker) != absl::string_view::npos)
      continue;
    if (const std::string why = config::CheckHostAndPort(broker); !why.empty())
      return absl::StrCat("is not a list of host:port: ", why);
  }
  return "";
}

std::string BrokersForLibrdkafka(absl::string_view list) {
  std::string all;
  for (const absl::string_view entry : absl::StrSplit(list, ',')) {
    absl::StrAppend(&all, all.empty() ? "" : ",");
    const absl::string_view broker = WithoutProtocol(absl::StripAsciiWhitespace(entry));
    const size_t port = PortOfBareAddress(broker);
    if (port == absl::string_view::npos) {
      absl::StrAppend(&all, entry);
    } else {
      const size_t before = entry.find(broker);
      absl::StrAppend(&all, entry.substr(0, before), "[", broker.substr(0, port), "]",
                      broker.substr(port));
    }
  }
  return all;
}

}  // namespace walduct::kafka
