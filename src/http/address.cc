#include "http/address.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace walduct::http {

std::string Address::ToString() const {
  const bool ipv6 = absl::StrContains(host, ":");
  return absl::StrCat(ipv6 ? "[" : "", host, ipv6 ? "]" : "", ":", port);
}

absl::StatusOr<Address> ParseAddress(absl::string_view text) {
  const auto wrong = [](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "; write HOST:PORT, such as 127.0.0.1:8083"));
  };
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return wrong("has no port");
  if (text.find_first_of("/ @") != text.npos) return wrong("is a URL, or has blanks");
  absl::string_view host = text.substr(0, colon);
  const absl::string_view port = text.substr(colon + 1);
  Address address;
  const bool number = absl::SimpleAtoi(port, &address.port) && address.port >= 0 &&
                      address.port <= 65535 && port.find_first_not_of("0123456789") == port.npos;
  if (!number) return wrong("its port is not a number from 0 to 65535");
  const bool brackets = absl::ConsumePrefix(&host, "[");
  if (brackets != absl::ConsumeSuffix(&host, "]")) return wrong("has unpaired brackets");
  if (!brackets && absl::StrContains(host, ":"))
    return wrong("is not an address (IPv6 addresses stand in brackets)");
  address.host = host.empty() ? "0.0.0.0" : std::string(host);
  return address;
}

}  // namespace walduct::http
