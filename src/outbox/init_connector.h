// The connector configuration that goes with InitSql. Pure; the options must have passed
// CheckNames.
#pragma once

#include <string>

#include "outbox/init_options.h"

namespace walduct::outbox {

// Kafka Connect's {"name": …, "config": {…}}, indented. Host, database and password are left to
// fill in.
std::string ConnectorJson(const InitOptions& options);

}  // namespace walduct::outbox
