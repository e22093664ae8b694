#include "kafka/producer_check.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "kafka/client_properties.h"
#include "kafka/durability.h"
#include "kafka/properties.h"

namespace walduct::kafka {
namespace {

// As typed: the spelling that won. nullptr: none of them was.
const config::Property* FindTyped(const config::PropertySet& properties,
                                  const std::vector<absl::string_view>& names) {
  const config::Property* typed = nullptr;
  for (const absl::string_view prefix : {"producer.", "producer.override."}) {
    for (const absl::string_view native : {"", "rdkafka."}) {
      for (const absl::string_view name : names) {
        const config::Property* property = properties.Find(absl::StrCat(prefix, native, name));
        if (property != nullptr) typed = property;
      }
    }
  }
  return typed;
}

void Report(const config::PropertySet& properties, const std::vector<absl::string_view>& names,
            absl::string_view what, absl::string_view fix, config::Findings* findings) {
  if (const config::Property* typed = FindTyped(properties, names)) {
    findings->Error(*typed, what, fix);
  } else {
    findings->Error(absl::StrCat("producer.", names.front()), what, fix);
  }
}

// "<property>: what is wrong".
void ReportStatus(const config::PropertySet& properties, const absl::Status& status,
                  config::Findings* findings) {
  const std::string message(status.message());
  const size_t colon = message.find(": ");
  const std::string name = message.substr(0, colon);
  const std::string what = colon == std::string::npos ? message : message.substr(colon + 2);
  const std::string hint = ErrorHint(status);
  Report(properties, {name}, what, hint.empty() ? "correct or remove it" : hint, findings);
}

}  // namespace

void CheckProducer(const config::PropertySet& properties, config::Findings* findings) {
  const absl::StatusOr<Properties> native =
      ProducerProperties(BuildKafka(properties).producer, ProducerRules());
  // A store that cannot be read now may be there when it runs.
  const bool other = !native.ok() && ErrorReason(native.status()) != "kafka_property_invalid";
  if (other) return;
  if (!native.ok()) return ReportStatus(properties, native.status(), findings);
  const absl::StatusOr<std::optional<Violation>> violation = FindViolation(*native);
  if (!violation.ok()) return ReportStatus(properties, violation.status(), findings);
  if (!violation->has_value()) return;
  Report(properties, (*violation)->names, (*violation)->what, "remove it", findings);
}

}  // namespace walduct::kafka
