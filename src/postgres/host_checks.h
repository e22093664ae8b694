// Checks of properties that say where a server is.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::postgres {

// Validators of one host name, or several; of one port, or several.
std::string CheckHostname(absl::string_view value);
std::string CheckPort(absl::string_view value);
// As many ports as hosts, or one. hostname, port: the properties.
void CheckPorts(const config::PropertySet& properties, absl::string_view hostname,
                absl::string_view port, config::Findings* findings);

}  // namespace walduct::postgres
