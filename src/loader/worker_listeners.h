// Where a worker, or a process that runs connectors, listens, and who may ask: listeners,
// admin.listeners, walduct.listen, listeners.https.ssl.*, rest.extension.classes,
// access.control.allow.*, response.http.headers.config. Reads key stores and password files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "rest/access/access_options.h"

namespace walduct::loader {

std::vector<rest::ListenerOptions> BuildListeners(const config::PropertySet& properties,
                                                  config::Findings* findings);

// login_file: where none is named by the properties; may be empty.
rest::AccessOptions BuildAccess(const config::PropertySet& properties,
                                const std::string& login_file, config::Findings* findings);

// Of walduct.listen, with the TLS of `listeners`; nullopt: nothing listens, or an error was found.
std::optional<rest::ListenerOptions> BuildListen(const config::PropertySet& properties,
                                                 config::Findings* findings);

}  // namespace walduct::loader
