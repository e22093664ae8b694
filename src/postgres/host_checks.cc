#include "postgres/host_checks.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "config/properties/address.h"

namespace walduct::postgres {
namespace {

// Or the folder of a server's socket, as libpq has it: what begins with a slash.
bool IsHostname(absl::string_view host) {
  const absl::string_view others = absl::StartsWith(host, "/") ? "-_./" : "-_.";
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains(others, c);
  });
}

size_t CountOf(const std::string& list) {
  return static_cast<size_t>(std::count(list.begin(), list.end(), ',')) + 1;
}

}  // namespace

absl::string_view WithoutBrackets(absl::string_view host) {
  const bool bracketed = absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

std::string HostsForLibpq(absl::string_view value) {
  std::vector<absl::string_view> hosts = absl::StrSplit(value, ',');
  for (absl::string_view& host : hosts) host = WithoutBrackets(host);
  return absl::StrJoin(hosts, ",");
}

std::string HostAndPort(absl::string_view host, absl::string_view port) {
  const bool colons = absl::StrContains(host, ':');
  return absl::StrCat(colons ? "[" : "", host, colons ? "]:" : ":", port);
}

std::string CheckHostname(absl::string_view value) {
  const std::vector<absl::string_view> hosts = absl::StrSplit(value, ',');
  const auto fits = [](absl::string_view host) {
    return IsHostname(host) || config::IsAddress6(WithoutBrackets(host));
  };
  if (std::all_of(hosts.begin(), hosts.end(), fits)) return "";
  return "has invalid format (only the underscore, hyphen, dot and alphanumeric characters are "
         "allowed)";
}

std::string CheckPort(absl::string_view value) {
  for (const absl::string_view part : absl::StrSplit(value, ',')) {
    int32_t port = 0;
    if (!absl::SimpleAtoi(part, &port) || port < 1 || port > 65535) return "is not a port number";
  }
  return "";
}

void CheckPorts(const config::PropertySet& properties, absl::string_view hostname,
                absl::string_view port, config::Findings* findings) {
  const size_t hosts = CountOf(properties.Text(hostname));
  const size_t ports = CountOf(properties.Text(port));
  if (ports == 1 || ports == hosts) return;
  findings->Error(port, absl::StrCat("lists ", ports, " ports for ", hosts, " hosts"),
                  "write one port for all hosts, or one for each");
}

}  // namespace walduct::postgres
