// The properties that choose converters, by the Java class that is configured: their rows, and the
// options they make.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "encode/options/converter_kinds.h"

namespace walduct::encode {

struct ConverterOptions;

absl::Span<const config::PropertyDefinition> ConverterProperties();

// Of key.converter and value.converter, of header.converter: "" or what is wrong.
std::string CheckConverter(absl::string_view value);
std::string CheckHeaderConverter(absl::string_view value);

// What converters ask of each other, and the options of delegates.
void CheckConverters(const config::PropertySet& properties, config::Findings* findings);

// nullopt when the class is not a supported converter.
std::optional<ConverterKind> FindConverter(absl::string_view class_name);

// With the package; as written when unknown.
std::string FullConverterName(absl::string_view class_name);

// The property that names the class which converts what is not bytes: "value.converter", or that of
// the delegate. role: see below.
std::string ConverterName(const config::PropertySet& properties, absl::string_view role);

// Where the options of a registry stand ("value.converter"), and whose it is.
struct ConverterRegistry {
  std::string name;
  RegistryKind kind = RegistryKind::kConfluent;
  std::string schema_type = "AVRO";
};
// nullopt: the converter needs none.
std::optional<ConverterRegistry> RegistryOf(const config::PropertySet& properties,
                                            absl::string_view role);

// role: "key", "value" or "header". Expects values that passed their checks.
ConverterOptions BuildConverter(const config::PropertySet& properties, absl::string_view role,
                                config::Findings* findings);

// nullopt: SimpleHeaderConverter, Connect's default, which guesses nothing: text as it is,
// structures as JSON without schemas.
std::optional<ConverterOptions> BuildHeaderConverter(const config::PropertySet& properties,
                                                     config::Findings* findings);

}  // namespace walduct::encode
