// PluginOptions: the options of one plugin of Kafka Connect, such as a converter: what stands
// behind the name of the property that names its class. Connect takes a class and its options from
// one place, so those that stand in another file than the class do not count. Values of patterns of
// the table, too. Borrows the properties.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::config {

class PluginOptions {
 public:
  // name: "value.converter", or that of a delegate; its options are `name` and a dot behind it.
  // whose: the property whose file counts. findings: warned of what does not count; null: nobody.
  PluginOptions(const PropertySet& properties, std::string name, absl::string_view whose,
                Findings* findings);

  const std::string& name() const { return name_; }
  // Of an option, in the form that checks compare with; the default where it is not given.
  std::string Text(absl::string_view option) const;
  bool Boolean(absl::string_view option) const { return Text(option) == "true"; }
  bool IsSet(absl::string_view option) const { return !Text(option).empty(); }
  // The options behind a beginning, without it: those of "ssl." by what follows. As written.
  std::vector<std::pair<std::string, std::string>> Behind(absl::string_view beginning) const;

 private:
  bool Counts(const Property& given) const;

  const PropertySet& properties_;
  const std::string name_, whose_name_;
  const Property* const whose_;
  Findings* const findings_;
};

}  // namespace walduct::config
