#include "config/property_checks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "config/properties/validators.h"
#include "java/text/text_lists.h"

namespace walduct::config {
namespace {

// A pattern may swallow any name that begins like real ones; a near miss of one of those is a
// misspelling all the same.
bool IsMisspelling(const Property& property, const PropertyTable& table) {
  if (!property.definition->suspects_misspellings) return false;
  const absl::string_view pattern = property.definition->name;
  const absl::string_view beginning = pattern.substr(0, pattern.find_first_of("<*"));
  const std::string nearest = table.NearestName(property.name);
  return absl::StartsWith(nearest, beginning) && nearest != property.name;
}

// Of a hash up to its last dot: what stands behind may be a salt.
std::string WithoutSalt(absl::string_view name) {
  if (!absl::StrContains(name, ".hash.")) return std::string(name);
  return absl::StrCat(name.substr(0, name.rfind('.') + 1), "…");
}

PropertyReport Unknown(const Property& property, const PropertySet& properties, Findings* findings,
                       PropertyReport report) {
  report.status = PropertyStatus::kUnknown;
  if (const PropertyDefinition* meant = properties.table().MeantToHide(property.name)) {
    findings->AddError(absl::StrCat("property '", WithoutSalt(property.written_as),
                                    "': no property has such a name, so that it would hide "
                                    "nothing; write ",
                                    meant->name, ": ", meant->fix));
    return report;
  }
  const std::string nearest = properties.table().NearestName(property.written_as);
  if (!nearest.empty()) report.note = absl::StrCat("did you mean '", nearest, "'?");
  std::string line = "unknown property; it has no effect";
  if (!nearest.empty()) absl::StrAppend(&line, "; ", report.note);
  // No other program uses our own names.
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
          ? absl::StrCat("use '", *definition.default_value, "' or leave it out; docs/not-yet.md")
          : "remove it; docs/not-yet.md";
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
    case Support::kMisplaced:
      report->status = PropertyStatus::kIgnored;
      findings->Warn(property.written_as, absl::StrCat("has no effect: ", definition.note));
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

void ReportIdle(const Property& property, const PropertySet& properties, PropertyReport* report) {
  if (property.definition->idle == nullptr) return;
  std::string why = property.definition->idle(properties, property.name);
  if (why.empty()) return;
  report->status = PropertyStatus::kIgnored;
  report->note = std::move(why);
}

// Debezium 3 no longer knows the older names, so it could not run this file.
void ReportRenamed(const Property& property, const PropertySet& properties, Findings* findings) {
  if (properties.Boolean("walduct.strict")) {
    findings->Error(property.written_as,
                    "is an older name, which walduct.strict=true does not accept",
                    absl::StrCat("write ", property.name, "=", property.raw));
  } else {
    findings->Warn(property.written_as,
                   absl::StrCat("is an older name; use '", property.name, "'"));
  }
}

// Every user of the machine can read the arguments of a process.
void WarnOfOpenSecret(const Property& property, const Masking& masking, Findings* findings) {
  if (property.layer != Layer::kOverride || property.value.empty()) return;
  if (!masking.IsSecret(property) || Masking::IsReference(property)) return;
  findings->Warn(
      property.written_as,
      absl::StrCat("given on the command line, where every user of this machine can read it (ps); "
                   "use -o '",
                   property.written_as, "=${env:NAME}' or ${file:/path/name.properties:key}"));
}

// As `walduct outbox init` prints them.
bool IsPlaceholder(const Property& property) {
  absl::string_view value = property.value;
  if (!absl::StartsWith(property.name, "database.") || !absl::ConsumePrefix(&value, "<") ||
      !absl::ConsumeSuffix(&value, ">"))
    return false;
  return std::all_of(value.begin(), value.end(),
                     [](unsigned char c) { return absl::ascii_isupper(c) || c == '_'; });
}

PropertyReport CheckProperty(const Property& property, const PropertySet& properties,
                             const Masking& masking, Findings* findings) {
  PropertyReport report{property.written_as, masking.Shown(property), PropertyStatus::kHonoured,
                        ""};
  WarnOfOpenSecret(property, masking, findings);
  if (property.definition == nullptr)
    return Unknown(property, properties, findings, std::move(report));
  const PropertyDefinition& definition = *property.definition;
  if (IsMisspelling(property, properties.table()))
    return Unknown(property, properties, findings, std::move(report));
  const std::string value = NormalizeValue(definition, property.value);
  if (!DiffersFromDefault(definition, value) && definition.default_value.has_value()) {
    report.status = PropertyStatus::kDefault;
  }
  if (IsPlaceholder(property)) {
    findings->Error(property, "is a placeholder", "write the value of your own database");
    return report;
  }
  ReportSupport(property, value, findings, &report);
  ReportIdle(property, properties, &report);
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
  } else if (definition.meaning != nullptr && report.note.empty()) {
    report.note = definition.meaning(value);
  }
  return report;
}

void Append(std::vector<std::string> lines, std::vector<std::string>* out) {
  for (std::string& line : lines) out->push_back(std::move(line));
}

// Whatever a text is about, it may quote a name.
void HideSalts(const PropertySet& properties, LoadReport* report) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Property& property : properties.all()) {
    for (const std::string& name : {property.written_as, property.name}) {
      std::string shown = Masking::ShownName(name);
      if (shown != name) names.emplace_back(name, std::move(shown));
    }
  }
  if (names.empty()) return;
  for (std::string& line : report->errors) line = absl::StrReplaceAll(line, names);
  for (std::string& line : report->warnings) line = absl::StrReplaceAll(line, names);
  for (PropertyReport& property : report->properties) {
    property.name = Masking::ShownName(property.name);
    property.note = absl::StrReplaceAll(property.note, names);
  }
}

}  // namespace

std::vector<PropertyReport> CheckProperties(const PropertySet& properties, const Masking& masking,
                                            Findings* findings) {
  std::vector<PropertyReport> reports;
  for (const Property& property : properties.all()) {
    reports.push_back(CheckProperty(property, properties, masking, findings));
    std::string& note = reports.back().note;
    if (!property.found_as.empty() && property.found_as != property.name)
      absl::StrAppend(&note, note.empty() ? "" : "; ", "from ", property.found_as);
  }
  return reports;
}

void CheckRequired(const PropertySet& properties, Findings* findings) {
  for (const PropertyDefinition* definition : properties.table().all()) {
    if (!definition->required || properties.IsSet(definition->name)) continue;
    findings->AddError(
        absl::StrCat("property '", definition->name,
                     "': A value is required; add it to the connector file or pass -o ",
                     definition->name, "=…"));
  }
}

void CheckOneList(const PropertySet& properties, absl::string_view kind, Findings* findings) {
  const std::string include = absl::StrCat(kind, ".include.list");
  const std::string exclude = absl::StrCat(kind, ".exclude.list");
  if (!properties.IsSet(include) || !properties.IsSet(exclude)) return;
  findings->Error(exclude,
                  absl::StrCat("cannot be combined: \"", include, "\" is already specified"),
                  "keep one of the two");
}

void CloseReport(const PropertySet& properties, Findings* findings, LoadReport* report) {
  Append(findings->TakeErrors(), &report->errors);
  Append(findings->TakeWarnings(), &report->warnings);
  HideSalts(properties, report);
}

}  // namespace walduct::config
