// Checks of properties that say where a server is.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::postgres {

// An IPv6 address may have the brackets that a URL would give it.
absl::string_view WithoutBrackets(absl::string_view host);
// One host name, or several, as libpq takes them.
std::string HostsForLibpq(absl::string_view value);
// For people: "host:5432", "[::1]:5432".
std::string HostAndPort(absl::string_view host, absl::string_view port);

// Validators of one host name, or several; of one port, or several.
std::string CheckHostname(absl::string_view value);
std::string CheckPort(absl::string_view value);
// As many ports as hosts, or one. hostname, port: the properties.
void CheckPorts(const config::PropertySet& properties, absl::string_view hostname,
                absl::string_view port, config::Findings* findings);

}  // namespace walduct::postgres
