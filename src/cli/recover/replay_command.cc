#include "cli/recover/replay_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "config/load_report.h"
#include "recover/replay/replay.h"

namespace walduct::cli {
namespace {

using Properties = std::vector<std::pair<std::string, std::string>>;

constexpr absl::string_view kRouter = "walduct_replay";
// Of a naming strategy that rewrites topics, also to names without the prefix.
constexpr absl::string_view kTopicRegex = "topic.regex";

std::string Given(const config::LoadReport& live, absl::string_view name) {
  for (const config::PropertyReport& property : live.properties)
    if (property.name == name) return property.value;
  return "";
}

bool IsTyped(const std::vector<std::string>& given, absl::string_view name) {
  return std::any_of(given.begin(), given.end(), [&](const std::string& one) {
    return absl::StartsWith(one, absl::StrCat(name, "="));
  });
}

// As a word of its own, not inside another one.
bool Names(absl::string_view text, absl::string_view word) {
  const auto is_of_word = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  };
  for (size_t at = text.find(word); at != absl::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end])))
      return true;
  }
  return false;
}

absl::Status CheckTo(const std::string& to, const std::string& live) {
  const bool allowed = !to.empty() && std::all_of(to.begin(), to.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
  });
  if (!allowed)
    return absl::InvalidArgumentError(absl::StrCat(
        "--to: '", to, "': a topic.prefix has letters, digits, '_', '-' and '.'; write replayed"));
  if (to == live || absl::StartsWith(to, live + ".") || absl::StartsWith(live, to + "."))
    return absl::InvalidArgumentError(
        absl::StrCat("--to: '", to,
                     "' would write into topics of the live connector, whose "
                     "topic.prefix is '",
                     live, "'; choose another one"));
  return absl::OkStatus();
}

// A rule that asks for the live connector's topics would not be met any more, and nobody would see.
absl::Status CheckRules(const config::LoadReport& live, const std::string& prefix,
                        const std::vector<std::string>& given) {
  for (const config::PropertyReport& property : live.properties) {
    const bool rule = absl::StartsWith(property.name, "transforms.") ||
                      absl::StartsWith(property.name, "predicates.") ||
                      property.name == kTopicRegex || property.name == "topic.key.field.regex";
    if (!rule || !Names(property.value, prefix) || IsTyped(given, property.name)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "property '", property.name, "': value '", property.value,
        "' names the topic.prefix of the live connector, and topics have that of --to here; say "
        "what is meant: -o ",
        property.name, "=VALUE"));
  }
  return absl::OkStatus();
}

// What goes elsewhere than to topics has to be named.
absl::Status CheckPlaces(const config::LoadReport& live, const std::vector<std::string>& given) {
  for (const recover::LivePlace& place :
       recover::LivePlaces([&live](absl::string_view name) { return Given(live, name); })) {
    const std::string other = place.instead.substr(0, place.instead.find('='));
    if (IsTyped(given, place.property) || (!other.empty() && IsTyped(given, other))) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "property '", place.property, "': value '", place.value,
        "' is where the live connector writes; name another place: -o ", place.property, "=VALUE",
        place.instead.empty() ? "" : absl::StrCat(", or -o ", place.instead)));
  }
  return absl::OkStatus();
}

}  // namespace

void AddReplayWindow(CLI::App* replay, ReplayRequest* asked) {
  replay
      ->add_option("--since", asked->since,
                   "The first transaction: committed at that time, or ended behind that LSN")
      ->type_name("TIME|LSN")
      ->required();
  replay
      ->add_option("--until", asked->until,
                   "Ends before the first transaction that was committed then, or behind that LSN")
      ->type_name("TIME|LSN")
      ->required();
  replay->add_option("--to", asked->to, "topic.prefix of the replay: its topics are its own")
      ->type_name("PREFIX")
      ->required();
  replay
      ->add_option("--wal-segsize", asked->segment_megabytes,
                   "wal_segment_size of the database, in MB")
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}))
      ->capture_default_str();
}

absl::StatusOr<Properties> ReplayProperties(const config::LoadReport& live, const std::string& to,
                                            const std::string& state_folder,
                                            const std::vector<std::string>& given) {
  const std::string prefix = Given(live, "topic.prefix");
  for (const absl::Status& checked :
       {CheckTo(to, prefix), CheckRules(live, prefix, given), CheckPlaces(live, given)})
    if (!checked.ok()) return checked;
  if (const std::string slots = Given(live, "walduct.slots"); !slots.empty() && slots != "1")
    return absl::InvalidArgumentError(
        absl::StrCat("property 'walduct.slots': value '", slots,
                     "': a replay reads through one publication; name one of all the tables: -o "
                     "walduct.slots=1 -o publication.name=NAME"));
  Properties properties = {{"name", absl::StrCat(Given(live, "name"), "-replay")},
                           {"topic.prefix", to},
                           {"slot.name", "walduct_replay"},
                           {"slot.drop.on.stop", "false"},
                           {"snapshot.mode", "no_data"},
                           {"publication.autocreate.mode", "disabled"},
                           {"walduct.outbox.cleanup", "none"},
                           {"heartbeat.interval.ms", "0"}};
  for (const absl::string_view name : {"heartbeat.action.query", "notification.enabled.channels"})
    if (!Given(live, name).empty()) properties.emplace_back(name, "");
  // One file is of one process.
  if (Given(live, "offset.storage.topic").empty() && Given(live, "offsets.storage.topic").empty() &&
      !absl::StrContains(absl::AsciiStrToLower(Given(live, "offset.storage")), "redis") &&
      !absl::StrContains(absl::AsciiStrToLower(Given(live, "offset.storage")), "jdbc")) {
    properties.emplace_back("offset.storage",
                            "org.apache.kafka.connect.storage.FileOffsetBackingStore");
    properties.emplace_back("offset.storage.file.filename", state_folder + "/offsets.dat");
  }
  if (const std::string letters = Given(live, "errors.deadletterqueue.topic.name");
      !letters.empty())
    properties.emplace_back("errors.deadletterqueue.topic.name", absl::StrCat(to, ".", letters));
  // Where transforms or a strategy name the topics they keep a part of their own, too.
  const std::string chain = Given(live, "transforms");
  if (!chain.empty() || !Given(live, kTopicRegex).empty()) {
    const std::string router = absl::StrCat("transforms.", kRouter);
    const std::string begin = absl::StrReplaceAll(to, {{".", "\\."}}) + "\\.";
    properties.emplace_back("transforms", absl::StrCat(chain, chain.empty() ? "" : ",", kRouter));
    properties.emplace_back(router + ".type", "org.apache.kafka.connect.transforms.RegexRouter");
    properties.emplace_back(router + ".regex", absl::StrCat("(?!", begin, ")(.*)"));
    properties.emplace_back(router + ".replacement", absl::StrCat(to, ".$1"));
  }
  return properties;
}

absl::StatusOr<recover::ReplayOptions> ReplayOf(const ReplayRequest& asked,
                                                recover::RecoveryOptions recovery) {
  recover::ReplayOptions options;
  const auto since = recover::ParseReplayEnd("--since", asked.since);
  if (!since.ok()) return since.status();
  const auto until = recover::ParseReplayEnd("--until", asked.until);
  if (!until.ok()) return until.status();
  const bool comparable = since->lsn.valid() == until->lsn.valid();
  if (comparable && (until->lsn < since->lsn || until->time_us < since->time_us ||
                     (until->lsn == since->lsn && until->time_us == since->time_us)))
    return absl::InvalidArgumentError(absl::StrCat("--until: '", asked.until,
                                                   "' is not behind --since '", asked.since,
                                                   "'; nothing lies between"));
  options.recovery = std::move(recovery);
  options.since = *since;
  options.until = *until;
  options.to = asked.to;
  options.segment_bytes = static_cast<uint64_t>(asked.segment_megabytes) << 20;
  return options;
}

}  // namespace walduct::cli
