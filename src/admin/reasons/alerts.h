// What an alert of deploy/prometheus means: its section of docs/alerts.md, which is part of the
// program. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::admin {

// "WalductStalled\n\n…"; empty: there is no such alert.
std::string ExplainAlert(absl::string_view name);

}  // namespace walduct::admin
