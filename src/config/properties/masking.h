// Masking: which values must never be shown. A property is secret by its definition, when its name
// matches custom.sanitize.pattern, or when no row knows the name and it looks like that of a secret
// (database.passwort). A value that is one ${…} reference is shown as written; what it resolves to
// never is. Immutable once made; thread-safe.
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
  // The set's table must outlive the object.
  explicit Masking(const PropertySet& properties);

  bool IsSecret(const Property& property) const;
  // The value as written is one ${…} and nothing else.
  static bool IsReference(const Property& property);
  // The name as it may be printed: that of a hash carries its salt.
  static std::string ShownName(absl::string_view name);
  // The value as it may be printed: ****** for a secret, references unresolved.
  std::string Shown(const Property& property) const;
  // A validator's text, which may quote the value, as it may be printed.
  std::string Shown(const Property& property, const std::string& problem) const;

 private:
  const PropertyTable* table_;
  std::unique_ptr<java::Regex> pattern_;
};

}  // namespace walduct::config
