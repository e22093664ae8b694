#include "admin/reasons/reasons.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "admin/reasons/tables.h"
#include "base/edit_distance.h"

namespace walduct::admin {
namespace {

constexpr size_t kMostSimilar = 3;

constexpr absl::string_view kHead =
    "# Reasons of errors\n\n"
    "Each error has a stable reason: in the log (`reason=`), in `walduct status`, and as a label "
    "of "
    "`walduct_retries_total` and `walduct_last_error_timestamp_seconds`. `walduct explain REASON` "
    "prints its row. What the server, Kafka or the file said in full stands in the message; what "
    "to "
    "type, with names filled in, in its `hint`.\n\n"
    "Whatever is tried again costs nothing but time: positions stay where they are, the slot keeps "
    "the WAL. This page is what `walduct explain` prints.\n";

// How many words they share, a word that only begins alike counting for less.
int Likeness(absl::string_view one, absl::string_view other) {
  int likeness = absl::StrContains(other, one) ? 3 : 0;
  for (const absl::string_view word : absl::StrSplit(one, '_', absl::SkipEmpty())) {
    for (const absl::string_view known : absl::StrSplit(other, '_')) {
      if (word == known) likeness += 2;
      if (word != known && word.size() > 2 && absl::StartsWith(known, word.substr(0, 3)))
        ++likeness;
    }
  }
  return likeness;
}

// A slip of the fingers: before all that only shares words.
int Nearness(absl::string_view one, absl::string_view other) {
  constexpr size_t kSlips = 3;
  const size_t distance = EditDistance(one, other);
  if (distance > kSlips || distance * 3 > other.size()) return 0;
  return static_cast<int>(100 * (kSlips + 1 - distance));
}

std::string Cell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

}  // namespace

absl::Span<const ReasonGroup> ReasonGroups() {
  static const ReasonGroup kGroups[] = {
      {"The database: reaching it, logging in, what it refuses", DatabaseReasons()},
      {"Slots, publications, positions", PositionReasons()},
      {"Kafka, the schema registry, files", KafkaReasons()},
      {"Redis", RedisReasons()},
      {"NATS", NatsReasons()},
      {"RabbitMQ", RabbitMqReasons()},
      {"HTTP", HttpReasons()},
      {"AWS", AwsReasons()},
      {"Records, transforms, outbox tables", RecordReasons()},
      {"Configuration and commands", ConfigurationReasons()},
      {"Said by `walduct doctor`, of captured tables also while they are streamed",
       DoctorReasons()}};
  return kGroups;
}

const Reason* FindReason(absl::string_view name) {
  for (const ReasonGroup& group : ReasonGroups()) {
    for (const Reason& reason : group.reasons) {
      if (reason.name == name) return &reason;
    }
  }
  return nullptr;
}

std::string RemedyOf(absl::string_view name) {
  const Reason* reason = FindReason(name);
  return reason == nullptr ? "" : std::string(reason->remedy);
}

std::vector<absl::string_view> SimilarReasons(absl::string_view name) {
  std::vector<std::pair<int, absl::string_view>> found;
  for (const ReasonGroup& group : ReasonGroups()) {
    for (const Reason& reason : group.reasons) {
      if (const int likeness = Likeness(name, reason.name) + Nearness(name, reason.name);
          likeness > 0)
        found.emplace_back(-likeness, reason.name);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<absl::string_view> names;
  for (size_t i = 0; i < std::min(found.size(), kMostSimilar); ++i)
    names.push_back(found[i].second);
  return names;
}

std::string ExplainReason(const Reason& reason) {
  return absl::StrCat(reason.name, "\n\n  ", reason.meaning, "\n\n  Data:   ",
                      reason.loses ? "changes may be gone for good" : "nothing is lost",
                      "\n  To do:  ", reason.remedy, "\n");
}

std::string ReasonsPage() {
  std::string page(kHead);
  for (const ReasonGroup& group : ReasonGroups()) {
    absl::StrAppend(&page, "\n## ", group.title,
                    "\n\n| reason | what it means | what to do |\n|---|---|---|\n");
    for (const Reason& reason : group.reasons) {
      absl::StrAppend(&page, "| `", reason.name, "` | ", Cell(reason.meaning),
                      reason.loses ? " **Changes may be gone for good.**" : "", " | ",
                      Cell(reason.remedy), " |\n");
    }
  }
  return page;
}

}  // namespace walduct::admin
