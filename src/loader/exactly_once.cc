#include "loader/exactly_once.h"

#include "absl/strings/str_cat.h"
#include "kafka/client_properties.h"
#include "kafka/options.h"
#include "offset/offset_properties.h"
#include "offset/options.h"
#include "sink/list/sink_types.h"

namespace walduct::loader {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kSupport = "exactly.once.support";
constexpr absl::string_view kBoundary = "transaction.boundary";
constexpr absl::string_view kInterval = "transaction.boundary.interval.ms";
constexpr absl::string_view kRequested = "set exactly.once.support=requested";

bool Required(const config::PropertySet& properties) {
  return properties.Text(kSupport) == "required";
}

std::string WithoutTransactions(const config::PropertySet& properties, absl::string_view /*name*/) {
  return Required(properties) ? "" : "it needs exactly.once.support=required";
}

std::string WithoutInterval(const config::PropertySet& properties, absl::string_view name) {
  if (properties.Text(kBoundary) != "interval") return "it needs transaction.boundary=interval";
  return WithoutTransactions(properties, name);
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = kSupport,
     .type = kEnum,
     .default_value = "requested",
     .doc = "required: records and position are written in Kafka transactions, so that a reader of "
            "committed records sees each one once, whatever crashes; see docs/guarantees.md. "
            "requested: records are written at least once.",
     .allowed = "requested, required"},
    {.name = kBoundary,
     .type = kEnum,
     .default_value = "poll",
     .doc = "How often Kafka transactions end, always at the end of a transaction of PostgreSQL: "
            "poll: as soon as there is something to publish, but not within 200 ms; interval: "
            "every transaction.boundary.interval.ms.",
     .allowed = "poll, interval, connector",
     .idle = WithoutTransactions},
    {.name = kInterval,
     .type = kPositiveLong,
     .doc = "Interval of Kafka transactions; if not set, offset.flush.interval.ms.",
     .idle = WithoutInterval},
    {.name = "exactly.once.source.support",
     .type = kEnum,
     .default_value = "disabled",
     .support = kNotYetWarned,
     .doc = "Worker: exactly-once support.",
     .note = "the connector's exactly.once.support decides",
     .allowed = "disabled, preparing, enabled"},
};

constexpr absl::string_view kResume = "walduct.snapshot.resume";
constexpr absl::string_view kStandby = "walduct.snapshot.standby.hostname";

// Records and position are written by one producer.
void CheckPosition(const config::PropertySet& properties, config::Findings* findings) {
  if (offset::BuildOffset(properties).kind != offset::OffsetStoreKind::kKafkaTopic &&
      offset::NamesStore(properties)) {
    const bool file = properties.IsSet("offset.storage.file.filename");
    findings->Error(file ? "offset.storage.file.filename" : "offset.storage",
                    "cannot be used with exactly.once.support=required: the position has to be in "
                    "Kafka, where it becomes durable together with the records",
                    absl::StrCat("set offset.storage.topic or offsets.storage.topic in place of "
                                 "it, or ",
                                 kRequested));
    return;
  }
  const std::string records = kafka::BuildKafka(properties).bootstrap_servers;
  const std::string worker = kafka::BuildWorkerKafka(properties).bootstrap_servers;
  if (records == worker || properties.IsSet("offsets.storage.topic")) return;
  findings->Error("offsets.storage.topic",
                  absl::StrCat("A value is required with exactly.once.support=required when "
                               "records go to other brokers (",
                               records, ") than the worker's (", worker,
                               "): the position is written where the records are"),
                  absl::StrCat("add the topic's name, or ", kRequested));
}

// A record that the broker refuses has spoilt its transaction: it can be neither skipped nor sent
// elsewhere.
void RefusePolicies(const config::PropertySet& properties, config::Findings* findings) {
  const bool tolerates = properties.Text("errors.tolerance") == "all";
  for (const absl::string_view name :
       {"walduct.errors.refused", "walduct.errors.topic.missing", "walduct.errors.topic.denied"}) {
    const std::string policy = properties.Text(name);
    if (!properties.IsSet(name) || policy == "stop" || (policy == "tolerance" && !tolerates))
      continue;
    findings->Error(
        name,
        absl::StrCat(policy,
                     " cannot be used with exactly.once.support=required: a record that "
                     "the broker refuses spoils its transaction"),
        absl::StrCat("set it to stop, or ", kRequested));
  }
}

void WarnOfRefusals(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("errors.tolerance") == "none") return;
  findings->Warn(
      kSupport,
      "a record that only the broker refuses stops the connector, whatever "
      "errors.tolerance and walduct.errors.too.large say: it has spoilt its transaction");
}

}  // namespace

absl::Span<const config::PropertyDefinition> ExactlyOnceProperties() { return kRows; }

std::string TransactionalId(const config::PropertySet& properties, const std::string& name) {
  if (!Required(properties) || !sink::ChosenType(properties).traits.transactions) return "";
  const std::string group = properties.Text("group.id");
  return group.empty() ? absl::StrCat("walduct-", name, "-", properties.Text("topic.prefix"))
                       : absl::StrCat(group, "-", name, "-0");
}

void CheckExactlyOnce(const config::PropertySet& properties, config::Findings* findings) {
  if (!Required(properties)) return;
  if (!sink::ChosenType(properties).traits.transactions) {
    findings->Error(kSupport, "needs sink=kafka: only Kafka has transactions",
                    absl::StrCat("remove sink, or ", kRequested));
    return;
  }
  if (properties.Text(kBoundary) == "connector") {
    findings->Error(kBoundary,
                    "The connector does not support connector-defined transaction boundaries with "
                    "the given configuration",
                    "use poll or interval");
  }
  if (properties.Boolean(kResume)) {
    findings->Error(kResume,
                    "cannot be used with exactly.once.support=required: the whole snapshot is one "
                    "transaction, and nothing of it is published before its end",
                    absl::StrCat("remove it, or ", kRequested));
  }
  if (properties.IsSet(kStandby)) {
    findings->Error(kStandby,
                    "cannot be used with exactly.once.support=required: the rows of a standby are "
                    "newer than the beginning of the stream, so that changes between the two come "
                    "as a read and as a change",
                    absl::StrCat("remove it, or ", kRequested));
  }
  CheckPosition(properties, findings);
  RefusePolicies(properties, findings);
  WarnOfRefusals(properties, findings);
}

std::optional<absl::Duration> CommitInterval(const config::PropertySet& properties) {
  if (properties.Text(kBoundary) != "interval") return std::nullopt;
  return properties.Milliseconds(properties.IsSet(kInterval) ? kInterval
                                                             : "offset.flush.interval.ms");
}

}  // namespace walduct::loader
