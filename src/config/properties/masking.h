// Masking: which values must never be shown. A property is secret by its definition or when its
// name matches custom.sanitize.pattern. A value that is one ${…} reference is shown as written;
// what it resolves to never is. Immutable after Create; thread-safe.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/property_set.h"
#include "java/regex/regex.h"

namespace walduct::config {

class Masking {
 public:
  // An unusable custom.sanitize.pattern leaves the default one in force.
  explicit Masking(const PropertySet& properties);

  bool IsSecret(const Property& property) const;
  // The name as it may be printed: that of a hash carries its salt.
  static std::string ShownName(absl::string_view name);
  // The value as it may be printed: ****** for a secret, references unresolved.
  std::string Shown(const Property& property) const;
  // A validator's text, which may quote the value, as it may be printed.
  std::string Shown(const Property& property, const std::string& problem) const;

 private:
  std::unique_ptr<java::Regex> pattern_;
};

}  // namespace walduct::config
