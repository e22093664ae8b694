// topic.naming.strategy and the properties that belong to it.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "route/options.h"

namespace walduct::route {

struct NamingStrategy {
  absl::string_view simple_name;
  bool with_schema;
  bool unicode;
  bool regex;
};

// By its class name, with or without package; null: unknown.
const NamingStrategy* FindNamingStrategy(absl::string_view class_name);

// Of topic.naming.strategy: "" or what is wrong.
std::string CheckNamingStrategy(absl::string_view value);

// What a strategy asks of other properties; regular expressions against their replacements.
void CheckTopicNaming(const config::PropertySet& properties, config::Findings* findings);

TopicNamingOptions BuildTopicNaming(const config::PropertySet& properties);

}  // namespace walduct::route
