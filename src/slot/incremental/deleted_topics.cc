#include "slot/incremental/deleted_topics.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "names/called.h"
#include "offset/topic/topic_gone.h"
#include "postgres/table_argument.h"
#include "route/options.h"
#include "route/topic_naming.h"

namespace walduct::slot {
namespace {

// More would not fit into a line of a shell that anybody reads.
constexpr size_t kMostTables = 20;

}  // namespace

std::vector<postgres::TableName> TablesOfTopics(const route::RouteOptions& route,
                                                const std::vector<std::string>& topics,
                                                const CapturedTables& captured) {
  std::vector<postgres::TableName> tables;
  if (topics.empty() || !captured) return tables;
  const route::TopicNaming naming(route);
  for (const postgres::TableName& table : *captured) {
    const std::string topic = naming.TableTopic(table.schema, table.table);
    if (std::find(topics.begin(), topics.end(), topic) != topics.end()) tables.push_back(table);
  }
  return tables;
}

absl::Status OfOffsetTopic(const absl::Status& error, const std::string& offset_topic) {
  const bool is_it = absl::StrContains(error.message(), absl::StrCat("topic ", offset_topic, " "));
  if (ErrorReason(error) != "topic_deleted" || !is_it) return error;
  return offset::OffsetTopicGone(error.code(), offset_topic,
                                 "it was deleted, or created anew, or has lost what it had "
                                 "acknowledged; it holds positions alone, no rows");
}

absl::Status OfDeleted(const absl::Status& error, const std::vector<std::string>& deleted) {
  if (ErrorReason(error) != "topic_missing") return error;
  const bool is_one = std::any_of(deleted.begin(), deleted.end(), [&](const std::string& topic) {
    return absl::StrContains(error.message(), absl::StrCat("topic ", topic, ":")) ||
           absl::StrContains(error.message(), absl::StrCat("topic ", topic, " "));
  });
  if (!is_one) return error;
  return Error(error.code(), ErrorReason(error),
               absl::StrCat(error.message(), "; it was deleted while the connector wrote to it"),
               ErrorHint(error));
}

absl::Status WithTables(const absl::Status& error, const names::Called& called,
                        const std::vector<postgres::TableName>& tables) {
  std::vector<std::string> arguments;
  for (const postgres::TableName& table : tables) {
    if (arguments.size() < kMostTables)
      arguments.push_back(postgres::TableArgument(table.schema, table.table));
  }
  const std::string hint = ErrorHint(error), gap = hint.empty() ? "" : "; ";
  const std::string again =
      arguments.empty()
          ? std::string(
                "it has the name of no captured table: what was in it comes again by a "
                "snapshot of the tables whose records went there, as far as they still "
                "have the rows, which an outbox table may not")
          : absl::StrCat(hint.empty() ? "" : "then, ",
                         "for the rows: ", names::SnapshotCommand(called, arguments));
  return Error(error.code(), ErrorReason(error), error.message(),
               absl::StrCat(hint, gap, again, "; deletes that nobody had read do not come again"));
}

}  // namespace walduct::slot
