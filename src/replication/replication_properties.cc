#include "replication/replication_properties.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "java/regex/regex.h"
#include "java/regex/regex_list.h"
#include "java/text/text_lists.h"

namespace walduct::replication {
namespace {

using enum config::PropertyType;
using enum config::Support;

bool FullMatch(absl::string_view pattern, absl::string_view text) {
  absl::StatusOr<std::unique_ptr<java::Regex>> regex = java::Regex::Compile(pattern, {});
  return regex.ok() && (*regex)->FullMatch(text);
}

std::string CheckSlotName(absl::string_view value) {
  const bool valid = value.size() <= 63 && std::all_of(value.begin(), value.end(), [](char c) {
                       return absl::ascii_islower(static_cast<unsigned char>(c)) ||
                              absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
                     });
  return valid ? ""
               : "Valid replication slot name must contain only digits, lowercase characters and "
                 "underscores with length <= 63";
}

std::string CheckReplicaIdentities(absl::string_view value) {
  for (const std::string& part : java::SplitCommaList(value)) {
    if (!FullMatch(R"((?i)\s*[^\s:]+:(DEFAULT|INDEX \w*|FULL|NOTHING)\s*)", part)) {
      return "has an invalid format (expecting table-regex:DEFAULT|FULL|NOTHING|INDEX name)";
    }
    const absl::StatusOr<java::RegexList> tables =
        java::RegexList::Parse(part.substr(0, part.find(':')));
    if (!tables.ok()) return std::string(tables.status().message());
  }
  return "";
}

constexpr size_t kLongestName = 63;  // PostgreSQL's
constexpr int kMostSlots = 32;

std::string CheckSlotCount(absl::string_view value) {
  int slots = 0;
  const bool valid = absl::SimpleAtoi(value, &slots) && slots >= 1 && slots <= kMostSlots;
  return valid ? "" : absl::StrCat("must be a number from 1 to ", kMostSlots);
}

// "table-regex:2, table-regex:1"; a slot of 0: it is none.
absl::StatusOr<std::vector<SlotPin>> ParsePins(absl::string_view value) {
  std::vector<SlotPin> pins;
  for (const std::string& part : java::SplitCommaList(value)) {
    const size_t colon = part.rfind(':');
    SlotPin pin;
    const bool numbered =
        colon != std::string::npos && absl::SimpleAtoi(part.substr(colon + 1), &pin.slot);
    if (!numbered || pin.slot < 1)
      return absl::InvalidArgumentError(absl::StrCat("'", part, "' is not table-regex:number"));
    absl::StatusOr<java::RegexList> tables = java::RegexList::Parse(part.substr(0, colon));
    if (!tables.ok()) return tables.status();
    pin.tables = std::make_shared<const java::RegexList>(*std::move(tables));
    pins.push_back(std::move(pin));
  }
  return pins;
}

std::string CheckPins(absl::string_view value) {
  return std::string(ParsePins(value).status().message());
}

constexpr absl::string_view kSlots = "walduct.slots";
constexpr absl::string_view kPins = "walduct.slots.tables";

std::string WithoutSlots(const config::PropertySet& properties, absl::string_view /*name*/) {
  return properties.Text(kSlots) == "1" ? "it needs walduct.slots above 1" : "";
}

std::string WithoutFiltered(const config::PropertySet& properties, absl::string_view name) {
  const bool idle =
      properties.Boolean(name) && properties.Text("publication.autocreate.mode") != "filtered";
  return idle ? "it needs publication.autocreate.mode=filtered" : "";
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "plugin.name",
     .type = kEnum,
     .default_value = "pgoutput",
     .doc = "Logical decoding plug-in; always pgoutput, which is part of PostgreSQL.",
     .note = "any other plug-in is mapped to pgoutput",
     .allowed = "pgoutput, decoderbufs, wal2json, wal2json_rds, wal2json_streaming, "
                "wal2json_rds_streaming"},
    {.name = "slot.name",
     .default_value = "debezium",
     .doc = "Replication slot, created when missing.",
     .fix = "use for example 'orders_slot'",
     .validator = CheckSlotName},
    {.name = kSlots,
     .type = kPositiveInt,
     .default_value = "1",
     .doc = "Over how many slots and publications the tables are spread, each read by a thread of "
            "its own and sent by a walsender of its own; beyond the first they are named with _2, "
            "_3, … See docs/slots.md.",
     .fix = "use a number from 1 to 32",
     .validator = CheckSlotCount},
    {.name = kPins,
     .doc = "Slots of tables that come to no publication yet, as table-regex:number,… over "
            "schema.table; the others are spread by a hash of their names.",
     .fix = "use a list of table-regex:number, as public\\.orders:1,public\\.events.*:2",
     .validator = CheckPins,
     .idle = WithoutSlots},
    {.name = "slot.drop.on.stop",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Drop the slot on a clean stop; changes made before the next start are then never "
            "captured.",
     .aliases = "slot.drop_on_stop"},
    {.name = "walduct.slot.lost",
     .type = kEnum,
     .default_value = "fail",
     .doc = "When the slot is lost or dropped: fail stops; hold makes it anew at once, so that WAL "
            "and catalogs are kept from there on, keeps the position and stops, also with "
            "snapshot.mode=when_needed. See docs/start.md.",
     .allowed = "fail, hold"},
    {.name = "slot.failover",
     .type = kBoolean,
     .default_value = "false",
     .doc =
         "Create the slot with FAILOVER, so that standbys (PostgreSQL 17 and later) keep a copy."},
    {.name = "slot.stream.params", .doc = "Extra options of START_REPLICATION as k=v;k2=v2."},
    {.name = "slot.max.retries",
     .type = kNonNegativeInt,
     .default_value = "6",
     .doc = "Further attempts to create the slot or to start the stream while another session "
            "holds it. While neither this nor slot.retry.delay.ms is given, it is tried for at "
            "least as long as the server's wal_sender_timeout."},
    {.name = "slot.retry.delay.ms",
     .type = kNonNegativeLong,
     .default_value = "10000",
     .doc = "Wait between those attempts."},
    {.name = "publication.name",
     .default_value = "dbz_publication",
     .doc = "Publication to stream."},
    {.name = "publication.autocreate.mode",
     .type = kEnum,
     .default_value = "all_tables",
     .doc = "What to do when the publication is missing: create it for all tables, for the "
            "captured ones (filtered), for "
            "none, or stop (disabled).",
     .allowed = "disabled, all_tables, filtered, no_tables"},
    {.name = "walduct.publication.follow",
     .type = kBoolean,
     .default_value = "false",
     .doc =
         "With publication.autocreate.mode=filtered: tables and partitions that the lists admit "
         "come into the publication while the connector runs, within half a minute, also new ones "
         "under an old name; else at the next start. See docs/catalog.md.",
     .idle = WithoutFiltered},
    {.name = "walduct.allow.empty",
     .type = kBoolean,
     .default_value = "false",
     .doc =
         "With publication.autocreate.mode=disabled or no_tables: a first start at which no table "
         "is captured goes on, and waits for tables. Else it stops: mostly it is another database "
         "than was meant."},
    {.name = "publish.via.partition.root",
     .type = kBoolean,
     .default_value = "false",
     .doc =
         "Create the publication so that rows of partitions appear under the partitioned table."},
    {.name = "replica.identity.autoset.values",
     .doc = "Replica identities to set at start, as table-regex:FULL,…; needs ownership of the "
            "tables. A partitioned table hands its own on to no partition.",
     .fix = "use a list of table-regex:DEFAULT, :FULL, :NOTHING or :INDEX name",
     .validator = CheckReplicaIdentities},
    {.name = "status.update.interval.ms",
     .type = kPositiveInt,
     .default_value = "10000",
     .doc = "Interval at which the confirmed position is reported to the server."},
    {.name = "xmin.fetch.interval.ms",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "Interval at which the slot's catalog_xmin is read for source.xmin; 0: never."},
    {.name = "lsn.flush.mode",
     .type = kEnum,
     .default_value = "connector",
     .doc =
         "Who confirms positions to the server: the connector, whose keepalives advance an idle "
         "slot in both of its modes, or somebody else (manual): the slot then stays where it is, "
         "and keeps all WAL, until pg_replication_slot_advance moves it while the connector is "
         "stopped.",
     .allowed = "connector, manual, connector_and_driver"},
    {.name = "flush.lsn.source",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Older form of lsn.flush.mode, which counts if both are set: false is manual."},
    {.name = "lsn.flush.timeout.ms",
     .type = kPositiveLong,
     .default_value = "30000",
     .support = kNoEffect,
     .doc = "Time limit for one confirmation.",
     .note = "a confirmation is a single message; nothing waits for it"},
    {.name = "lsn.flush.timeout.action",
     .type = kEnum,
     .default_value = "fail",
     .support = kNoEffect,
     .doc = "What to do when a confirmation takes too long.",
     .note = "a confirmation is a single message; nothing waits for it",
     .allowed = "fail, warn, ignore"},
    {.name = "offset.mismatch.strategy",
     .type = kEnum,
     .default_value = "no_validation",
     .doc = "What to do when the stored position and the slot's differ.",
     .allowed = "no_validation, trust_offset, trust_slot, trust_greater_lsn"},
    {.name = "internal.slot.seek.to.known.offset.on.start",
     .type = kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Older form of offset.mismatch.strategy=trust_offset.",
     .note = "Debezium ignores it; set offset.mismatch.strategy",
     .aliases = "slot.seek.to.known.offset.on.start"},
    {.name = "internal.create.slot.command.timeout",
     .type = kPositiveLong,
     .default_value = "90",
     .doc = "Time limit for creating the slot and the publication, in seconds."},
    {.name = "internal.log.position.check.enable",
     .type = kBoolean,
     .default_value = "true",
     .support = kNotYetWarned,
     .doc = "Check at start that the stored position is still available.",
     .note = "the check is always made: without it a gap could go unnoticed"},
    {.name = "internal.offset.activity.monitor.interval.ms",
     .type = kNonNegativeLong,
     .default_value = "600000",
     .support = kNotYetWarned,
     .doc = "Warn when the position has not moved for so long.",
     .note = "an idle slot is advanced by keepalives"},
};

PublicationAutocreate ParseAutocreate(absl::string_view mode) {
  if (mode == "disabled") return PublicationAutocreate::kDisabled;
  if (mode == "filtered") return PublicationAutocreate::kFiltered;
  if (mode == "no_tables") return PublicationAutocreate::kNoTables;
  CHECK(mode == "all_tables");
  return PublicationAutocreate::kAllTables;
}

OffsetMismatch ParseMismatch(absl::string_view strategy) {
  if (strategy == "trust_offset") return OffsetMismatch::kTrustOffset;
  if (strategy == "trust_slot") return OffsetMismatch::kTrustSlot;
  if (strategy == "trust_greater_lsn") return OffsetMismatch::kTrustGreaterLsn;
  CHECK(strategy == "no_validation");
  return OffsetMismatch::kNoValidation;
}

bool ConfirmsPositions(const config::PropertySet& properties) {
  if (properties.IsSet("lsn.flush.mode")) return properties.Text("lsn.flush.mode") != "manual";
  return properties.Boolean("flush.lsn.source");
}

// "table-regex:FULL, table-regex:INDEX name"; the format was checked before.
std::vector<ReplicaIdentityRule> BuildReplicaIdentities(const config::PropertySet& properties) {
  std::vector<ReplicaIdentityRule> rules;
  for (const std::string& part :
       java::SplitCommaList(properties.Text("replica.identity.autoset.values"))) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, absl::MaxSplits(':', 1));
    const std::vector<std::string> words = absl::StrSplit(sides[1], ' ', absl::SkipWhitespace());
    rules.push_back({.tables = java::RegexList::OfChecked(sides[0]),
                     .identity = absl::AsciiStrToUpper(words[0]),
                     .index = words.size() > 1 ? words[1] : ""});
  }
  return rules;
}

// As Debezium: a part without '=' is dropped with a warning.
std::vector<std::pair<std::string, std::string>> BuildStreamParams(absl::string_view text,
                                                                   config::Findings* findings) {
  std::vector<std::pair<std::string, std::string>> params;
  for (const absl::string_view part : absl::StrSplit(text, ';', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (sides.size() == 2 && !absl::StripAsciiWhitespace(sides[0]).empty()) {
      params.emplace_back(absl::StripAsciiWhitespace(sides[0]),
                          absl::StripAsciiWhitespace(sides[1]));
    } else {
      findings->Warn("slot.stream.params",
                     absl::StrCat("'", part, "' is not of the form k=v and is ignored"));
    }
  }
  return params;
}

}  // namespace

absl::Span<const config::PropertyDefinition> ReplicationProperties() { return kRows; }

void WarnOfReplication(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("plugin.name") != "pgoutput") {
    findings->Warn("plugin.name", absl::StrCat("'", properties.Text("plugin.name"),
                                               "' is mapped to pgoutput, which every server "
                                               "has and walduct always uses: the line can go"));
  }
  if (properties.Text("slot.drop.on.stop") == "true") {
    findings->Warn(
        "slot.drop.on.stop",
        "changes made between a stop and the next start will be lost; meant for tests only");
  }
  if (!ConfirmsPositions(properties)) {
    findings->Warn(
        properties.IsSet("lsn.flush.mode") ? "lsn.flush.mode" : "flush.lsn.source",
        "the slot is never moved, and the server keeps all WAL from its position on: somebody has "
        "to call pg_replication_slot_advance, no further than the stored position");
  }
}

void CheckSlots(const config::PropertySet& properties, config::Findings* findings) {
  const absl::StatusOr<std::vector<SlotPin>> pins = ParsePins(properties.Text(kPins));
  if (!CheckSlotCount(properties.Text(kSlots)).empty() || !pins.ok()) return;
  const int64_t slots = properties.Integer(kSlots);
  for (const SlotPin& pin : *pins) {
    if (slots == 1 || pin.slot <= slots) continue;
    findings->Error(kPins, absl::StrCat("names slot ", pin.slot, ", and walduct.slots is ", slots),
                    "use a number from 1 to walduct.slots");
  }
  for (const absl::string_view name : {"slot.name", "publication.name"}) {
    const std::string longest = absl::StrCat(properties.Text(name), "_", slots);
    if (slots == 1 || longest.size() <= kLongestName) continue;
    findings->Error(
        name,
        absl::StrCat("is too long for walduct.slots=", slots, ": ", longest, " has ",
                     longest.size(), " characters, and PostgreSQL takes ", kLongestName),
        "choose a shorter one");
  }
}

ReplicationOptions BuildReplication(const config::PropertySet& properties,
                                    config::Findings* findings) {
  ReplicationOptions replication;
  replication.slot_name = properties.Text("slot.name");
  replication.share.count = static_cast<int>(properties.Integer(kSlots));
  if (replication.share.several()) replication.share.pins = *ParsePins(properties.Text(kPins));
  replication.drop_slot_on_stop = properties.Boolean("slot.drop.on.stop");
  replication.holds_lost_slot = properties.Text("walduct.slot.lost") == "hold";
  replication.failover_slot = properties.Boolean("slot.failover");
  replication.stream_params = BuildStreamParams(properties.Text("slot.stream.params"), findings);
  replication.max_retries = static_cast<int>(properties.Integer("slot.max.retries"));
  replication.retry_delay = properties.Milliseconds("slot.retry.delay.ms");
  replication.retries_given =
      properties.IsSet("slot.max.retries") || properties.IsSet("slot.retry.delay.ms");
  replication.publication_name = properties.Text("publication.name");
  replication.publication_autocreate =
      ParseAutocreate(properties.Text("publication.autocreate.mode"));
  replication.publication_follow =
      properties.Boolean("walduct.publication.follow") &&
      replication.publication_autocreate == PublicationAutocreate::kFiltered;
  replication.allow_empty = properties.Boolean("walduct.allow.empty");
  replication.publish_via_partition_root = properties.Boolean("publish.via.partition.root");
  replication.status_interval = properties.Milliseconds("status.update.interval.ms");
  replication.xmin_interval = properties.Milliseconds("xmin.fetch.interval.ms");
  replication.confirm_positions = ConfirmsPositions(properties);
  replication.create_slot_timeout =
      absl::Seconds(properties.Integer("internal.create.slot.command.timeout"));
  replication.replica_identities = BuildReplicaIdentities(properties);
  replication.offset_mismatch = ParseMismatch(properties.Text("offset.mismatch.strategy"));
  return replication;
}

}  // namespace walduct::replication
