// Where a worker, or a process that runs connectors, listens, and who may ask: listeners,
// admin.listeners, walduct.listen, listeners.https.ssl.*, rest.extension.classes,
// access.control.allow.*, response.http.headers.config. Reads key stores and password files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "access/access_options.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "http/client.h"

namespace walduct::loader {

std::vector<access::ListenerOptions> BuildListeners(const config::PropertySet& properties,
                                                    config::Findings* findings);

// What a worker trusts and shows where it asks another one over https: what its own listener does,
// as in Kafka Connect. Without one: the system's authorities.
http::ClientTls BuildBetween(const config::PropertySet& properties,
                             const std::vector<access::ListenerOptions>& listeners);

// login_file: where none is named by the properties; may be empty.
access::AccessOptions BuildAccess(const config::PropertySet& properties,
                                  const std::string& login_file, config::Findings* findings);

// Of walduct.listen, with the TLS of `listeners`; nullopt: nothing listens, or an error was found.
std::optional<access::ListenerOptions> BuildListen(const config::PropertySet& properties,
                                                   config::Findings* findings);

}  // namespace walduct::loader
