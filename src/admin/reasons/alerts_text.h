// docs/alerts.md as it was built.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::admin {

absl::string_view AlertsPage();

}  // namespace walduct::admin
