#include "cli/recover/read_report.h"

#include <iostream>
#include <string>

#include "absl/strings/str_format.h"
#include "base/plain_text.h"
#include "recover/read/report.h"

namespace walduct::cli {
namespace {

void PrintTopic(const recover::TopicReport& topic) {
  std::cout << absl::StreamFormat("%-40s %10d %10d %10d %10d\n", PlainText(topic.topic),
                                  topic.equal, topic.different, topic.added, topic.gone);
  for (const std::string& example : topic.examples) std::cout << "  " << example << "\n";
}

// What nobody can know by what is there.
void PrintUnknown(const recover::TopicReport& topic) {
  const std::string name = PlainText(topic.topic);
  if (topic.expired > 0)
    std::cout << "note: " << topic.expired << " older records of " << name
              << " have expired: a row that only they told of counts as new, and whether a key "
                 "that only they had is gone is not known\n";
  if (!topic.no_deletes.empty())
    std::cout << "note: no deletes for " << name << ": " << topic.no_deletes << "\n";
  if (topic.unwritten > 0)
    std::cout << "note: of " << topic.unwritten << " gone keys of " << name
              << " no delete can be made: the key is not made of the table's key columns alone, or "
                 "deletes are skipped\n";
  if (topic.later > 0)
    std::cout << "note: " << topic.later << " keys of " << name
              << " have changed meanwhile and are not judged\n";
}

}  // namespace

void PrintRead(const recover::ReadReport& report, bool wrote) {
  std::cout << absl::StreamFormat("%-40s %10s %10s %10s %10s\n", "topic", "equal", "different",
                                  "new", "gone");
  recover::TopicReport all;
  all.topic = "all";
  for (const recover::TopicReport& topic : report.topics) {
    PrintTopic(topic);
    all.equal += topic.equal;
    all.different += topic.different;
    all.added += topic.added;
    all.gone += topic.gone;
    all.unwritten += topic.unwritten;
  }
  if (report.topics.size() != 1) PrintTopic(all);
  for (const recover::ReadReport::LeftOut& one : report.left_out)
    std::cout << "note: table " << PlainText(one.table) << " is not compared: " << one.why << "\n";
  for (const recover::TopicReport& topic : report.topics) PrintUnknown(topic);
  if (report.keyless > 0)
    std::cout << "note: " << report.keyless << " records or rows without a key are not compared\n";
  if (report.shared > 0)
    std::cout << "note: " << report.shared
              << " rows have a key that another row has: they are not compared\n";
  if (report.missed_from.valid())
    std::cout << "note: states in between, of rows that changed several times or came and went "
                 "behind "
              << report.missed_from.ToString() << ", are not known\n";
  if (wrote)
    std::cout << "published " << all.different + all.added << " reads and "
              << all.gone - all.unwritten << " deletes\n";
  std::cout.flush();
}

}  // namespace walduct::cli
