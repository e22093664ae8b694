#include "config/properties/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace walduct::config {
namespace {

bool IsZoneCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("-_.", c);
}

bool IsPort(absl::string_view text) {
  uint32_t port = 0;
  return absl::SimpleAtoi(text, &port) && port <= 65535;
}

std::string CheckBracketed(absl::string_view address) {
  const size_t end = address.find(']');
  if (end == absl::string_view::npos) return "a bracket is not closed";
  if (!IsAddress6(address.substr(1, end - 1)))
    return "what stands in brackets is no address of IPv6";
  absl::string_view rest = address.substr(end + 1);
  if (rest.empty() || (absl::ConsumePrefix(&rest, ":") && IsPort(rest))) return "";
  return "no port number stands behind the brackets";
}

}  // namespace

bool IsAddress6(absl::string_view host) {
  const size_t zone = host.find('%');
  if (zone != absl::string_view::npos) {
    const absl::string_view name = host.substr(zone + 1);
    if (name.empty() || !std::all_of(name.begin(), name.end(), IsZoneCharacter)) return false;
  }
  in6_addr address;
  return inet_pton(AF_INET6, std::string(host.substr(0, zone)).c_str(), &address) == 1;
}

std::string CheckHostAndPort(absl::string_view address) {
  if (absl::StartsWith(address, "[")) return CheckBracketed(address);
  const size_t first = address.find(':'), last = address.rfind(':');
  if (first == absl::string_view::npos) return "";
  if (first != last) return "an address of IPv6 needs brackets, as in [::1]:8081";
  return IsPort(address.substr(last + 1)) ? "" : "no port number stands behind the colon";
}

}  // namespace walduct::config
