// The typed configuration of a chain of transforms: what `transforms`, `predicates` and their
// options say after all checks. Values of their own; immutable once built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "java/regex/regex_list.h"

namespace walduct::config {

enum class TransformKind {
  // Debezium's
  kEventRouter,
  kDecodeMessageContent,
  kExtractNewRecordState,
  kByLogicalTableRouter,
  kExtractChangedRecordState,
  kHeaderToValue,
  kPartitionRouting,
  kTimezoneConverter,
  kFilterByExpression,
  kContentBasedRouter,
  kSchemaChangeEventFilter,
  kEnforceRecordSize,
  kExtractSchemaToNewRecord,
  kVectorToJson,
  kGeometryFormat,
  kSwapGeometry,
  kActivateTracingSpan,
  // Kafka Connect's
  kCast,
  kDropHeaders,
  kExtractField,
  kFilter,
  kFlatten,
  kHeaderFrom,
  kHoistField,
  kInsertField,
  kInsertHeader,
  kMaskField,
  kRegexRouter,
  kReplaceField,
  kSetSchemaMetadata,
  kTimestampConverter,
  kTimestampRouter,
  kValueToKey,
  kRefused,  // known, never supported; has no spec
};

enum class PredicateKind { kTopicNameMatches, kHasHeaderKey, kRecordIsTombstone };

// What a transform with variants works on: …$Key or …$Value.
enum class TransformTarget { kRecord, kKey, kValue };

// Option names as the class's table has them, to values that passed their check; absent options
// have their default, or are not there when they have none.
class TransformOptionValues {
 public:
  void Put(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
  void PutDefault(std::string name, std::string value) {
    defaults_.insert(name);
    Put(std::move(name), std::move(value));
  }
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }
  // In the configuration, rather than the default.
  bool Given(absl::string_view name) const { return Has(name) && defaults_.count(name) == 0; }

  // Empty when absent.
  const std::string& Text(absl::string_view name) const;
  bool Boolean(absl::string_view name) const { return Text(name) == "true"; }
  // 0 when absent.
  int64_t Integer(absl::string_view name) const;
  double Real(absl::string_view name) const;
  // Comma-separated, trimmed, without empty items.
  std::vector<std::string> List(absl::string_view name) const;

 private:
  const std::string* Find(absl::string_view name) const;
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> defaults_;
};

struct PredicateSpec {
  std::string alias;
  PredicateKind kind = PredicateKind::kTopicNameMatches;
  TransformOptionValues options = {};
};

struct TransformSpec {
  std::string alias;
  TransformKind kind = TransformKind::kFilter;
  TransformTarget target = TransformTarget::kRecord;
  TransformOptionValues options = {};
  std::optional<size_t> predicate = {};  // index into the chain's predicates
  bool negate = false;
  bool strict = false;  // walduct.strict: nothing is guessed
  // walduct.outbox.tables: the rows it sees; absent: all
  std::optional<java::RegexList> tables = {};
};

struct TransformChainOptions {
  std::vector<PredicateSpec> predicates;
  std::vector<TransformSpec> transforms;  // in order; empty: records are written as they come
};

}  // namespace walduct::config
