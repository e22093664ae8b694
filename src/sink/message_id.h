// What a message is named by where the target knows repeats by it: the same after a restart.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/property_set.h"
#include "event/record_id.h"

namespace walduct::sink {

// Of a connector. Two may write to one place, and positions of two databases may be equal.
std::string IdentityOf(const config::PropertySet& properties);

// "": the record's place has no name that another reading would give it again.
std::string MessageId(absl::string_view identity, const event::RecordId& id);

}  // namespace walduct::sink
