// Findings: the errors and warnings of one load, all in the same form:
//   property 'x': value 'y' <what is wrong>; <fix>
// Values are masked here and nowhere else. Not thread-safe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/properties/masking.h"
#include "config/properties/property_set.h"

namespace walduct::config {

class Findings {
 public:
  // Both must outlive the object.
  Findings(const PropertySet& properties, const Masking& masking)
      : properties_(properties), masking_(masking) {}

  // About a value that is there. what may start with a verb ("is not …") or be a sentence of
  // Debezium's.
  void Error(const Property& property, absl::string_view what, absl::string_view fix);
  // About a property that is missing or about several at once.
  void Error(absl::string_view name, absl::string_view what, absl::string_view fix);
  void Warn(absl::string_view name, absl::string_view what);
  void AddError(std::string line) { errors_.push_back(std::move(line)); }
  void AddWarning(std::string line) { warnings_.push_back(std::move(line)); }

  bool refused() const { return !errors_.empty(); }
  size_t error_count() const { return errors_.size(); }
  std::vector<std::string> TakeErrors() { return std::move(errors_); }
  std::vector<std::string> TakeWarnings() { return std::move(warnings_); }

 private:
  const PropertySet& properties_;
  const Masking& masking_;
  std::vector<std::string> errors_;
  std::vector<std::string> warnings_;
};

}  // namespace walduct::config
