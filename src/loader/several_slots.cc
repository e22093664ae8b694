#include "loader/several_slots.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "java/text/text_lists.h"
#include "sink/list/sink_types.h"

namespace walduct::loader {
namespace {

constexpr absl::string_view kSlots = "walduct.slots";

// A value that has no meaning where a connector reads several slots.
struct Refusal {
  absl::string_view property;
  absl::string_view value;  // empty: whatever it is set to; of a list: one of its entries
  absl::string_view why;
  absl::string_view fix;
};

constexpr Refusal kRefusals[] = {
    {"exactly.once.support", "required",
     "each slot has a position of its own, and no transaction spans them",
     "set exactly.once.support=requested"},
    {"provide.transaction.metadata", "true",
     "the records of one transaction come through several slots, none of which sees all of them",
     "set provide.transaction.metadata=false"},
    {"signal.data.collection", "", "signals are not spread over slots",
     "remove signal.data.collection"},
    {"signal.enabled.channels", "file", "signals are not spread over slots", "remove file"},
    {"signal.enabled.channels", "kafka", "signals are not spread over slots", "remove kafka"},
    {"walduct.snapshot.new.tables", "incremental",
     "incremental snapshots are not spread over slots",
     "remove it: a new table is told of in the log"},
    {"notification.enabled.channels", "sink", "each slot would tell of its own tables as of all",
     "remove sink; log says for each slot what is done"},
    {"walduct.outbox.cleanup", "delete", "housekeeping of outbox tables knows one slot",
     "set walduct.outbox.cleanup=none"},
    {"walduct.outbox.cleanup", "drop_partitions", "housekeeping of outbox tables knows one slot",
     "set walduct.outbox.cleanup=none"},
};

bool Has(const config::PropertySet& properties, const Refusal& refusal) {
  if (refusal.value.empty()) return properties.IsSet(refusal.property);
  return java::ListContains(properties.Text(refusal.property), refusal.value);
}

bool NamesTables(const config::PropertySet& properties) {
  return properties.Text("publication.autocreate.mode") == "filtered";
}

void CheckPublication(const config::PropertySet& properties, config::Findings* findings) {
  if (NamesTables(properties)) return;
  findings->Error("publication.autocreate.mode",
                  absl::StrCat("must be filtered where walduct.slots is above 1: each slot has a "
                               "publication that names its tables, and it is '",
                               properties.Text("publication.autocreate.mode"), "'"),
                  "set publication.autocreate.mode=filtered, or walduct.slots=1");
}

bool HasOneWriter(const config::PropertySet& properties) {
  const auto one_writer = sink::ChosenType(properties).one_writer;
  return one_writer != nullptr && one_writer(properties);
}

void CheckSink(const config::PropertySet& properties, config::Findings* findings) {
  if (!HasOneWriter(properties)) return;
  findings->Error("sink",
                  absl::StrCat(sink::ChosenType(properties).name,
                               " has one writer, and walduct.slots is above 1"),
                  "set sink=kafka, or walduct.slots=1");
}

// Of one table its slot keeps the order; between tables none is kept.
void WarnOfSharedTopics(const config::PropertySet& properties, const transform::ChainSpec& chain,
                        config::Findings* findings) {
  constexpr absl::string_view kOrder =
      "brings records of several tables to one topic: their order there is kept only among tables "
      "of one slot; walduct.slots.tables puts tables together";
  if (absl::StrContains(properties.Text("topic.naming.strategy"), "Regex"))
    findings->Warn("topic.naming.strategy", kOrder);
  for (const transform::TransformSpec& one : chain.transforms) {
    const absl::string_view name = java::SimpleClassName(one.class_name);
    if (name == "RegexRouter" || name == "ByLogicalTableRouter")
      findings->Warn(absl::StrCat("transforms.", one.alias, ".type"), kOrder);
  }
}

}  // namespace

void CheckSeveralSlots(const config::PropertySet& properties, const transform::ChainSpec& chain,
                       config::Findings* findings) {
  const int64_t slots = properties.Integer(kSlots);
  if (slots <= 1) return;
  CheckPublication(properties, findings);
  CheckSink(properties, findings);
  for (const Refusal& refusal : kRefusals) {
    if (!Has(properties, refusal)) continue;
    findings->Error(refusal.property,
                    absl::StrCat("cannot be used with walduct.slots=", slots, ": ", refusal.why),
                    absl::StrCat(refusal.fix, ", or walduct.slots=1"));
  }
  WarnOfSharedTopics(properties, chain, findings);
}

std::string OnlyOneSlot(const config::PropertySet& properties) {
  if (properties.Text(kSlots) != "1") return "";
  if (!NamesTables(properties)) return "it needs publication.autocreate.mode=filtered";
  if (HasOneWriter(properties))
    return absl::StrCat("sink=", sink::ChosenType(properties).name, " has one writer");
  for (const Refusal& refusal : kRefusals) {
    if (!Has(properties, refusal)) continue;
    return absl::StrCat("not with ", refusal.property,
                        refusal.value.empty() ? "" : absl::StrCat("=", refusal.value), ": ",
                        refusal.why);
  }
  return "";
}

}  // namespace walduct::loader
