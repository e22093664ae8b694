#include "config/property_checks.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/properties/validators.h"
#include "config/transforms/transform_checks.h"
#include "java/text/text_lists.h"

namespace walduct::config {
namespace {

// The driver's pass-through names swallow any database.*; a near miss of a real name is a
// misspelling all the same.
bool IsMisspelling(const Property& property, const std::string& nearest) {
  return absl::StartsWith(property.definition->name, "database.") &&
         absl::StartsWith(nearest, "database.") && nearest != property.name;
}

PropertyReport Unknown(const Property& property, const PropertySet& properties, Findings* findings,
                       PropertyReport report) {
  report.status = PropertyStatus::kUnknown;
  const std::string nearest = NearestName(property.written_as);
  if (!nearest.empty()) report.note = absl::StrCat("did you mean '", nearest, "'?");
  std::string line = "unknown property; it has no effect";
  if (!nearest.empty()) absl::StrAppend(&line, "; ", report.note);
  // No other program has use for our own names.
  if (properties.Text("walduct.unknown.properties") == "fail" ||
      absl::StartsWith(property.written_as, "walduct.")) {
    findings->AddError(absl::StrCat("property '", property.written_as, "': ", line));
  } else {
    findings->Warn(property.written_as, line);
  }
  return report;
}

std::string Fix(const PropertyDefinition& definition) {
  if (!definition.fix.empty()) return std::string(definition.fix);
  if (definition.default_value.has_value())
    return absl::StrCat("the default is '", *definition.default_value, "'");
  return "";
}

bool DiffersFromDefault(const PropertyDefinition& definition, const std::string& value) {
  return value != NormalizeValue(definition, definition.default_value.value_or("")) &&
         !value.empty();
}

void Refuse(const Property& property, Findings* findings) {
  const PropertyDefinition& definition = *property.definition;
  const std::string fix =
      definition.default_value.has_value()
          ? absl::StrCat("use '", *definition.default_value, "' or leave it out")
          : "remove it";
  const std::string note = definition.note.empty() ? "" : absl::StrCat(": ", definition.note);
  findings->Error(property, absl::StrCat("is not supported yet", note), fix);
}

void ReportSupport(const Property& property, const std::string& value, Findings* findings,
                   PropertyReport* report) {
  const PropertyDefinition& definition = *property.definition;
  switch (definition.support) {
    case Support::kHonoured:
      return;
    case Support::kNoEffect:
      report->status = PropertyStatus::kIgnored;
      break;
    case Support::kNotYetWarned:
      if (!DiffersFromDefault(definition, value)) return;
      report->status = PropertyStatus::kNotYet;
      findings->Warn(property.written_as, absl::StrCat("has no effect yet: ", definition.note));
      break;
    case Support::kNotYetRefused:
      if (!DiffersFromDefault(definition, value)) return;
      report->status = PropertyStatus::kNotYet;
      Refuse(property, findings);
      break;
  }
  report->note = std::string(definition.note);
}

// Options of a transform are read where its list names it.
void ReportTransform(const Property& property, const PropertySet& properties,
                     PropertyReport* report) {
  const absl::string_view name = property.definition->name;
  if (name != "transforms.*" && name != "predicates.*") return;
  if (BelongsToListedTransform(properties, property.name)) return;
  report->status = PropertyStatus::kIgnored;
  report->note =
      absl::StrCat("not listed in ", name == "predicates.*" ? "predicates" : "transforms");
}

// Debezium 3 knows the older names no more, so the file is not one that it could run.
void ReportRenamed(const Property& property, const PropertySet& properties, Findings* findings) {
  if (properties.Boolean("walduct.strict")) {
    findings->Error(property.written_as, "is an older name, and walduct.strict=true reads none",
                    absl::StrCat("write ", property.name, "=", property.raw));
  } else {
    findings->Warn(property.written_as,
                   absl::StrCat("is an older name; use '", property.name, "'"));
  }
}

}  // namespace

PropertyReport CheckProperty(const Property& property, const PropertySet& properties,
                             const Masking& masking, Findings* findings) {
  PropertyReport report{property.written_as, masking.Shown(property), PropertyStatus::kHonoured,
                        ""};
  if (property.definition == nullptr)
    return Unknown(property, properties, findings, std::move(report));
  const PropertyDefinition& definition = *property.definition;
  if (definition.name == "database.*" && IsMisspelling(property, NearestName(property.name))) {
    return Unknown(property, properties, findings, std::move(report));
  }
  const std::string value = NormalizeValue(definition, property.value);
  if (!DiffersFromDefault(definition, value) && definition.default_value.has_value()) {
    report.status = PropertyStatus::kDefault;
  }
  ReportSupport(property, value, findings, &report);
  ReportTransform(property, properties, &report);
  if (property.written_as != property.name) {
    report.status = PropertyStatus::kRenamed;
    report.note = absl::StrCat("read as '", property.name, "'");
    ReportRenamed(property, properties, findings);
  }
  if (definition.name_validator != nullptr) {
    const std::string problem = definition.name_validator(property.name);
    if (!problem.empty())
      findings->AddError(
          absl::StrCat("property '", property.written_as, "': ", problem, "; ", Fix(definition)));
  }
  if (definition.required && value.find_first_not_of(" \t") == std::string::npos)
    return report;  // said once, below
  if (const std::string problem = CheckValue(definition, property.value); !problem.empty()) {
    findings->Error(property, problem, Fix(definition));
  } else if (java::ListContains(definition.refused, value)) {
    Refuse(property, findings);
  }
  return report;
}

}  // namespace walduct::config
