// Checks of single property values beyond their type. Each returns "" or what is wrong, in
// Debezium's words where Debezium has some. Pure functions.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/validators.h"

namespace walduct::loader {

std::string CheckHostname(absl::string_view value);
std::string CheckPort(absl::string_view value);
std::string CheckSlotName(absl::string_view value);
std::string CheckSkippedOperations(absl::string_view value);
std::string CheckMessageKeyColumns(absl::string_view value);
std::string CheckNamingStrategy(absl::string_view value);
std::string CheckReplicaIdentities(absl::string_view value);
std::string CheckSignalCollection(absl::string_view value);
std::string CheckConverter(absl::string_view value);
std::string CheckHeaderConverter(absl::string_view value);
std::string CheckOffsetStore(absl::string_view value);
std::string CheckConnectorClass(absl::string_view value);
std::string CheckFractionDigits(absl::string_view value);
std::string CheckPlaceholder(absl::string_view value);

}  // namespace walduct::loader
