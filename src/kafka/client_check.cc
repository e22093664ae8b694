#include "kafka/client_check.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "kafka/client.h"
#include "kafka/client_properties.h"
#include "kafka/durability.h"
#include "kafka/options.h"
#include "kafka/properties.h"
#include "security/tls_protocol.h"

namespace walduct::kafka {
namespace {

bool IsSecurity(absl::string_view name) {
  return absl::StartsWith(name, "ssl.") || absl::StartsWith(name, "sasl.") ||
         name == "security.protocol";
}

// What stands before a name, the winner last.
std::vector<std::string> Prefixes(absl::string_view role) {
  std::vector<std::string> prefixes = {"", "rdkafka."};
  for (const absl::string_view rest : {".", ".rdkafka.", ".override.", ".override.rdkafka."})
    prefixes.push_back(absl::StrCat(role, rest));
  return prefixes;
}

// As typed: the spelling that won. nullptr: none of them was.
const config::Property* FindTyped(const config::PropertySet& properties, absl::string_view role,
                                  const std::vector<absl::string_view>& names) {
  const config::Property* typed = nullptr;
  for (const std::string& prefix : Prefixes(role)) {
    for (const absl::string_view name : names) {
      const bool fits = absl::StartsWith(prefix, role) || IsSecurity(name);
      const config::Property* property = properties.Find(absl::StrCat(prefix, name));
      if (fits && property != nullptr) typed = property;
    }
  }
  return typed;
}

// One client of the connector, and where its errors go.
struct Checked {
  const config::PropertySet& properties;
  absl::string_view role;
  config::Findings* findings;

  void Report(const std::vector<absl::string_view>& names, absl::string_view what,
              absl::string_view fix) const {
    if (const config::Property* typed = FindTyped(properties, role, names)) {
      findings->Error(*typed, what, fix);
    } else {
      findings->Error(absl::StrCat(role, ".", names.front()), what, fix);
    }
  }

  // "<property>: what is wrong".
  void ReportStatus(const absl::Status& status) const {
    const std::string message(status.message());
    const size_t colon = message.find(": ");
    const std::string name = message.substr(0, colon);
    const std::string what = colon == std::string::npos ? message : message.substr(colon + 2);
    const std::string hint = ErrorHint(status);
    Report({name}, what, hint.empty() ? "correct or remove it" : hint);
  }
};

bool IsSecure(const Properties& native) {
  const auto protocol = native.find("security.protocol");
  return protocol != native.end() && !absl::EqualsIgnoreCase(protocol->second, "plaintext");
}

// Certificates and mechanisms are looked at when a client is made: this one has no broker to reach.
void CheckStarts(const Properties& native, const Checked& checked) {
  if (!IsSecure(native)) return;
  const absl::Status status = CheckUsable(native);
  if (status.ok()) return;
  const std::string hint = ErrorHint(status);
  checked.findings->AddError(
      absl::StrCat(checked.role, ": ", status.message(), hint.empty() ? "" : "; ", hint));
}

void CheckRole(const std::map<std::string, std::string>& java, const Checked& checked) {
  const absl::StatusOr<Properties> native = TranslateProperties(java);
  if (!native.ok()) return checked.ReportStatus(native.status());
  CheckStarts(*native, checked);
}

}  // namespace

void CheckProducer(const config::PropertySet& properties, const ProducerRules& rules,
                   config::Findings* findings) {
  const Checked checked{properties, "producer", findings};
  const absl::StatusOr<Properties> native =
      ProducerProperties(BuildKafka(properties).producer, rules);
  if (!native.ok()) return checked.ReportStatus(native.status());
  const absl::StatusOr<std::optional<Violation>> violation =
      FindViolation(*native, rules.transactional_id);
  if (!violation.ok()) return checked.ReportStatus(violation.status());
  if (violation->has_value())
    return checked.Report((*violation)->names, (*violation)->what, "remove it");
  CheckStarts(*native, checked);
}

void CheckOtherClients(const config::PropertySet& properties, config::Findings* findings) {
  const KafkaOptions kafka = BuildKafka(properties);
  // What was already reported for the producer is not reported again.
  if (kafka.admin != kafka.producer) CheckRole(kafka.admin, {properties, "admin", findings});
  if (kafka.consumer != kafka.producer)
    CheckRole(kafka.consumer, {properties, "consumer", findings});
}

void WarnOfProtocols(const config::PropertySet& properties, config::Findings* findings) {
  for (const config::Property& property : properties.all()) {
    if (!absl::EndsWith(property.name, "ssl.enabled.protocols")) continue;
    const absl::StatusOr<std::string> lost = security::CheckProtocols(property.value);
    if (lost.ok() && !lost->empty()) findings->Warn(property.written_as, *lost);
  }
}

}  // namespace walduct::kafka
