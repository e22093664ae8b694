#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/log.h"
#include "base/plain_text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "compare/compare_topics.h"

namespace walduct::cli {
namespace {

constexpr int kSame = 0;
constexpr int kDiffers = 1;
constexpr int kTrouble = 2;

void PrintCounts(absl::string_view name, const compare::Result& result) {
  std::cout << absl::StreamFormat("%-40s %10d %10d %10d %10d %10d %10d %10d %10d\n",
                                  PlainText(name), result.equal, result.different, result.missing,
                                  result.extra, result.repeated, result.before, result.after,
                                  result.unplaced);
}

void PrintTopic(const compare::TopicResult& topic) {
  PrintCounts(topic.left.empty() ? topic.right : topic.left, topic.result);
  if (topic.left.empty()) std::cout << "  left has no such topic\n";
  if (topic.right.empty()) std::cout << "  right has no such topic\n";
  for (const std::string& example : topic.result.examples) std::cout << "  " << example << "\n";
  std::cout.flush();
}

// Topics that one side alone has, with records.
struct OneSided {
  std::vector<std::string> written;  // also since the other side began
  std::vector<std::string> idle;     // not since then: nothing could be compared

  void Add(const compare::TopicResult& topic) {
    const compare::Result& result = topic.result;
    if (!topic.left.empty() && !topic.right.empty()) return;
    const uint64_t since = result.missing + result.extra + result.after;
    if (since + result.before + result.unplaced == 0) return;
    (since > 0 ? written : idle).push_back(topic.left.empty() ? topic.right : topic.left);
  }
};

void TellUnplaced(uint64_t count) {
  if (count == 0) return;
  std::cerr
      << count
      << " unplaced: one side alone has them, they have no position, and nothing says whether "
         "they are older than the other side, or lost\n"
         "hint: --examples 100 shows more of their keys; where a row is written to each table "
         "before a new shadow begins, those from before it are told apart\n";
}

void TellEvents(const compare::Result& all) {
  const uint64_t before = all.events_before[0] + all.events_before[1],
                 after = all.events_after[0] + all.events_after[1];
  if (before + after == 0) return;
  std::cerr << before << " events before (" << all.events_before[0] << " of left, "
            << all.events_before[1] << " of right) and " << after << " after ("
            << all.events_after[0] << " of left, " << all.events_after[1]
            << " of right) are placed by the order of their partition alone: next to the first, or "
               "the last, that both have one that was lost looks the same\n"
               "hint: --left's ahead of --right's first are older where right is a shadow; look "
               "again after a moment at what is after\n";
}

int Conclude(const compare::Result& all, const OneSided& one_sided, bool allows_idle) {
  PrintCounts("all", all);
  TellUnplaced(all.unplaced);
  TellEvents(all);
  if (!one_sided.written.empty()) {
    Refuse(
        absl::StrCat("one side has no such topic, and the other has written to it since both "
                     "run: ",
                     absl::StrJoin(one_sided.written, ", ")));
    std::cerr << "hint: both have to capture the same tables (table.include.list); where the last "
                 "records were just written, look again\n";
    return kDiffers;
  }
  if (!all.same()) return kDiffers;
  if (!one_sided.idle.empty() && !allows_idle) {
    Refuse(absl::StrCat("one side has no such topic, so that nothing was compared: ",
                        absl::StrJoin(one_sided.idle, ", ")));
    std::cerr
        << "hint: none of their records is known to be from after the other side began: write a "
           "row to each table and look again, or --allow-idle, where nobody writes to them\n";
    return kTrouble;
  }
  if (all.equal > 0) return kSame;
  Refuse("no record is on both sides: nothing was compared");
  std::cerr << "hint: the two did not run at the same time; let both run, and look again\n";
  return kTrouble;
}

void TellWait(const std::string& servers, absl::Duration waited) {
  std::cerr << "waits for Kafka at " << servers
            << " (bootstrap.servers), which has not answered for " << absl::FormatDuration(waited)
            << "; Ctrl-C ends it, -w names the worker's file\n";
}

}  // namespace

int Diff(const Arguments& arguments) {
  log::SetLevel(log::Level::kError);
  bool routes_events = false;
  const auto kafka = LoadKafka(arguments, &routes_events);
  if (kafka == nullptr) return kTrouble;
  if (arguments.left == arguments.right)
    return Refuse(
        absl::StrCat("--left and --right are both ", arguments.right, "; name two sets of topics"));
  // "shop" and "shadow.shop.": what follows them is never the same.
  const bool left_ends = absl::EndsWith(arguments.left, "."),
             right_ends = absl::EndsWith(arguments.right, ".");
  if (left_ends != right_ends) {
    const std::string& open = left_ends ? arguments.right : arguments.left;
    return Refuse(
        absl::StrCat("--left and --right are how names of topics begin, and one of them "
                     "ends with a dot: write ",
                     left_ends ? "--right " : "--left ", open, "."));
  }
  compare::CompareOptions options{.kafka = kafka.get(),
                                  .left = arguments.left,
                                  .right = arguments.right,
                                  .ignored = arguments.ignored,
                                  .events = routes_events,
                                  .limits = {.examples = arguments.examples},
                                  .environment = Environment::Real(),
                                  .waits = TellWait};
  std::cout << absl::StreamFormat("%-40s %10s %10s %10s %10s %10s %10s %10s %10s\n", "topic",
                                  "equal", "different", "missing", "extra", "repeated", "before",
                                  "after", "unplaced");
  compare::Result all;
  OneSided one_sided;
  const absl::Status done = compare::CompareTopics(options, [&](const compare::TopicResult& topic) {
    PrintTopic(topic);
    all.Add(topic.result);
    one_sided.Add(topic);
  });
  if (done.ok()) return Conclude(all, one_sided, arguments.allows_idle);
  PrintStatus(done);
  return kTrouble;
}

}  // namespace walduct::cli
