#include "cli/migration/shadow.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "config/load_report.h"

namespace walduct::cli {
namespace {

using Properties = std::vector<std::pair<std::string, std::string>>;

constexpr absl::string_view kRouter = "walduct_shadow";
constexpr size_t kLongestSlotName = 63;

// As the files have it; empty when they do not.
std::string Given(const config::LoadReport& live, absl::string_view name) {
  for (const config::PropertyReport& property : live.properties) {
    if (property.name == name) return property.value;
  }
  return "";
}

// Each is written to by a live connector, or acts on the database.
void SetAside(const config::LoadReport& live, bool own_snapshot, Properties* properties) {
  static constexpr std::pair<absl::string_view, absl::string_view> kHarmless[] = {
      {"publication.autocreate.mode", "disabled"},
      {"walduct.outbox.cleanup", "none"},
      {"exactly.once.support", "requested"},
      {"slot.drop.on.stop", "true"},
  };
  for (const auto& [name, value] : kHarmless) properties->emplace_back(name, value);
  for (const absl::string_view name : {"heartbeat.action.query", "signal.data.collection"}) {
    if (!Given(live, name).empty()) properties->emplace_back(name, "");
  }
  // The live one has taken its snapshot long ago: rows of another one would have no partner.
  if (!own_snapshot) properties->emplace_back("snapshot.mode", "no_data");
}

// The last transform of all records.
void RenameTopics(const config::LoadReport& live, const std::string& prefix,
                  Properties* properties) {
  const std::string chain = Given(live, "transforms");
  const std::string router = absl::StrCat("transforms.", kRouter);
  properties->emplace_back("transforms", absl::StrCat(chain, chain.empty() ? "" : ",", kRouter));
  properties->emplace_back(absl::StrCat(router, ".type"),
                           "org.apache.kafka.connect.transforms.RegexRouter");
  properties->emplace_back(absl::StrCat(router, ".regex"), "(.*)");
  properties->emplace_back(absl::StrCat(router, ".replacement"), absl::StrCat(prefix, "$1"));
  const std::string letters = Given(live, "errors.deadletterqueue.topic.name");
  if (!letters.empty())
    properties->emplace_back("errors.deadletterqueue.topic.name", prefix + letters);
}

}  // namespace

absl::StatusOr<Properties> ShadowProperties(const config::LoadReport& live,
                                            const ShadowTarget& target) {
  std::string slot = Given(live, "slot.name");
  if (slot.empty()) slot = "debezium";
  slot += "_shadow";
  if (slot.size() > kLongestSlotName) {
    return absl::InvalidArgumentError(absl::StrCat("the shadow's slot would be named ", slot,
                                                   ", and PostgreSQL takes ", kLongestSlotName,
                                                   " characters; choose a shorter slot.name"));
  }
  if (const std::string slots = Given(live, "walduct.slots"); !slots.empty() && slots != "1") {
    return absl::InvalidArgumentError(
        "walduct.slots: a shadow reads through one publication, and each of the live connector's "
        "slots has its own; create one of all the tables and add -o walduct.slots=1 -o "
        "publication.name=NAME");
  }
  Properties properties = {
      {"name", Given(live, "name") + "-shadow"},
      {"slot.name", slot},
      {"offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore"},
      {"offset.storage.file.filename", target.directory + "/offsets.dat"},
  };
  SetAside(live, target.own_snapshot, &properties);
  if (target.topic_prefix.empty()) {
    properties.emplace_back("sink", "file");
    properties.emplace_back("sink.file.path", target.directory + "/records.jsonl");
  } else {
    properties.emplace_back("sink", "kafka");
    RenameTopics(live, target.topic_prefix, &properties);
  }
  return properties;
}

}  // namespace walduct::cli
