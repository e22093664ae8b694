// Validation: what is right and wrong with a configuration, setting by setting, as Connect's
// …/config/validate tells it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serve/plugins/definitions.h"
#include "serve/topics/config_map.h"

namespace walduct::serve {

struct ValidatedSetting {
  Definition definition;
  std::optional<std::string> value;
  std::vector<std::string> recommended;
  std::vector<std::string> errors;
  bool visible = true;
};

struct Validation {
  std::vector<ValidatedSetting> settings;

  std::vector<std::string> groups() const;
  // In the order of the settings.
  std::vector<std::string> errors() const;
};

// What is asked beyond the definitions. Each may be empty.
struct ValidationQuestions {
  // Whether walduct has a class that Connect's definitions lack, or knows why it has not; then load
  // judges it. type: converter, header_converter, transformation, predicate.
  std::function<bool(absl::string_view class_name, absl::string_view type)> knows;
  // What walduct itself refuses: the setting ("" when it is not one) and why. Reaches no server.
  std::function<std::vector<std::pair<std::string, std::string>>(const ConfigMap&)> load;
  // What is wrong with the database; "" when nothing is. Connects.
  std::function<std::string(const ConfigMap&)> database;
};

Validation Validate(const ConfigMap& config, const ValidationQuestions& questions);

std::string ValidationJson(const Validation& validation);
// A definition alone, as GET …/config lists it.
std::string DefinitionJson(const Definition& definition);

}  // namespace walduct::serve
