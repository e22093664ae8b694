#include "poll/layouts/column_words.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace walduct::poll {
namespace {

using Words = std::vector<std::string>;

// That a row is done.
constexpr absl::string_view kDoneWords[] = {
    "published", "processed", "dispatched", "sent",        "delivered",   "completed", "complete",
    "enqueued",  "queued",    "relayed",    "handled",     "emitted",     "forwarded", "acked",
    "ack",       "done",      "consumed",   "exported",    "succeeded",   "finished",  "executed",
    "pushed",    "produced",  "shipped",    "transmitted", "acknowledged"};
// That it is not to be published, or not any more.
constexpr absl::string_view kOtherwiseWords[] = {
    "status",    "state",   "parked",   "failed",       "abandoned", "blocked",     "dead",
    "expired",   "expires", "expiry",   "expiration",   "cancelled", "canceled",    "skipped",
    "discarded", "deleted", "rejected", "quarantined",  "aborted",   "disabled",    "archived",
    "suspended", "ignored", "poisoned", "deadlettered", "revoked",   "invalidated", "superseded"};
// That somebody has it.
constexpr absl::string_view kOwnedWords[] = {"locked",  "lock",     "lease",    "leased",
                                             "claimed", "claim",    "acquired", "reserved",
                                             "picked",  "inflight", "owner",    "worker"};
// The same, where the rest says that it is about this moment.
constexpr absl::string_view kBusyWords[] = {"processing",  "publishing", "sending",
                                            "dispatching", "delivering", "relaying"};
constexpr absl::string_view kOfNow[] = {"at",    "on",    "id",    "by",   "since",    "started",
                                        "start", "until", "token", "node", "instance", "host"};
// Beside one of these words it is a number, a text or a name about rows and no state of one.
constexpr absl::string_view kAbout[] = {
    "count", "counts", "counter", "attempts", "attempt", "retries", "reason", "message",
    "error", "errors", "version", "total",    "code",    "limit",   "max",    "duration",
    "ms",    "topic",  "queue",   "exchange", "policy",  "type",    "name",   "key"};
// When a row is due, in a way that nobody knows.
constexpr absl::string_view kDueNames[] = {"rerunafter", "cron", "schedule", "delay", "delayms"};
constexpr absl::string_view kPayloadWords[] = {"payload", "data",    "body",    "value",
                                               "content", "message", "envelope"};

bool HasAny(const Words& words, absl::Span<const absl::string_view> list) {
  return absl::c_any_of(words,
                        [&](const std::string& word) { return absl::c_linear_search(list, word); });
}

// Of a name without capitals and underscores: "processedonutc", "ispublished".
std::string WithoutEnds(absl::string_view word) {
  absl::ConsumePrefix(&word, "is");
  absl::ConsumeSuffix(&word, "utc");
  for (const absl::string_view end : {"at", "on", "date", "time", "timestamp", "flag"})
    if (absl::ConsumeSuffix(&word, end)) break;
  return std::string(word);
}

bool SaysDone(const LayoutColumn& column, const Words& words, bool marked) {
  if (!HasAny(words, kDoneWords)) return false;
  // Beside a mark, who did it. A time of every row is when the row itself was put there.
  const bool of_all =
      !column.nullable && absl::StartsWith(column.type, "timestamp") &&
      (absl::c_linear_search(words, "enqueued") || absl::c_linear_search(words, "queued"));
  return !of_all && !(marked && absl::c_linear_search(words, "by"));
}

bool Says(const LayoutColumn& column, const KnownColumns& known) {
  Words words = WordsOf(column.name);
  const bool single = words.size() == 1;
  if (single) words.push_back(WithoutEnds(words.front()));
  if (absl::c_linear_search(kDueNames, Folded(column.name))) return true;
  if (HasAny(words, kAbout)) return false;
  if (SaysDone(column, words, known.marked) || HasAny(words, kOtherwiseWords)) return true;
  if (known.leased) return false;
  if (HasAny(words, kOwnedWords)) return true;
  return HasAny(words, kBusyWords) && (single || column.type == "boolean" || HasAny(words, kOfNow));
}

}  // namespace

Words WordsOf(absl::string_view name) {
  Words words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (!absl::ascii_isalnum(c)) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    const bool begins = absl::ascii_isupper(c) && i > 0 &&
                        absl::ascii_islower(static_cast<unsigned char>(name[i - 1]));
    if (begins && !words.back().empty()) words.emplace_back();
    words.back().push_back(static_cast<char>(absl::ascii_tolower(c)));
  }
  if (words.back().empty() && words.size() > 1) words.pop_back();
  return words;
}

bool IsCalled(absl::string_view name, absl::string_view wanted) {
  const std::string folded = Folded(name);
  if (folded == wanted) return true;
  absl::string_view stem = folded;
  const bool utc = absl::ConsumeSuffix(&stem, "utc");
  if (utc && stem == wanted) return true;
  if (!absl::ConsumeSuffix(&wanted, "at")) return false;
  for (const absl::string_view end : {"on", "date", "time", "timestamp"}) {
    absl::string_view rest = stem;
    if (absl::ConsumeSuffix(&rest, end) && rest == wanted) return true;
  }
  return false;
}

std::vector<const LayoutColumn*> ColumnsThatSay(absl::Span<const LayoutColumn> columns,
                                                const KnownColumns& known) {
  std::vector<const LayoutColumn*> said;
  for (const LayoutColumn& column : columns)
    if (!absl::c_linear_search(known.names, Folded(column.name)) && Says(column, known))
      said.push_back(&column);
  return said;
}

bool CouldBePayload(const LayoutColumn& column) {
  const Words words = WordsOf(column.name);
  return HasAny(words, kPayloadWords) && !HasAny(words, kAbout) &&
         !absl::c_linear_search(words, "id");
}

}  // namespace walduct::poll
