#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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
  std::cout << absl::StreamFormat("%-40s %10d %10d %10d %10d %10d %10d %10d\n", PlainText(name),
                                  result.equal, result.different, result.missing, result.extra,
                                  result.repeated, result.before, result.after);
}

void PrintTopic(const compare::TopicResult& topic) {
  PrintCounts(topic.left.empty() ? topic.right : topic.left, topic.result);
  if (topic.left.empty()) std::cout << "  left has no such topic\n";
  if (topic.right.empty()) std::cout << "  right has no such topic\n";
  for (const std::string& example : topic.result.examples) std::cout << "  " << example << "\n";
  std::cout.flush();
}

int Conclude(const compare::Result& all) {
  PrintCounts("all", all);
  if (!all.same()) return kDiffers;
  if (all.equal > 0) return kSame;
  Refuse("no record is on both sides: nothing was compared");
  std::cerr << "hint: the two did not run at the same time; let both run, and look again\n";
  return kTrouble;
}

}  // namespace

int Diff(const Arguments& arguments) {
  log::SetLevel(log::Level::kError);
  const auto kafka = LoadKafka(arguments);
  if (kafka == nullptr) return kTrouble;
  if (arguments.left == arguments.right)
    return Refuse(
        absl::StrCat("--left and --right are both ", arguments.right, "; name two sets of topics"));
  compare::CompareOptions options{.kafka = kafka.get(),
                                  .left = arguments.left,
                                  .right = arguments.right,
                                  .ignored = arguments.ignored,
                                  .limits = {.examples = arguments.examples},
                                  .environment = Environment::Real()};
  std::cout << absl::StreamFormat("%-40s %10s %10s %10s %10s %10s %10s %10s\n", "topic", "equal",
                                  "different", "missing", "extra", "repeated", "before", "after");
  compare::Result all;
  const absl::Status done =
      compare::CompareTopics(options, [&all](const compare::TopicResult& topic) {
        PrintTopic(topic);
        all.Add(topic.result);
      });
  if (done.ok()) return Conclude(all);
  PrintStatus(done);
  return kTrouble;
}

}  // namespace walduct::cli
