#include "transform/outbox/outbox_timestamp.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::Scalar;

// Milliseconds from a value. False: it is none.
using ToMillis = bool (*)(const Scalar& value, int64_t* millis);

template <int64_t kUnits>
bool FromNumber(const Scalar& value, int64_t* millis) {
  *millis = value.integer / kUnits;  // towards zero, as Java does
  return true;
}

bool FromText(const Scalar& value, int64_t* millis) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, value.text, &time, &error)) return false;
  *millis = absl::ToUnixMillis(time);
  return true;
}

struct TimestampType {
  ConnectType type;
  absl::string_view schema;
  ToMillis to_millis;
};
constexpr TimestampType kTypes[] = {
    {ConnectType::kInt64, "io.debezium.time.Timestamp", FromNumber<1>},
    {ConnectType::kInt64, "io.debezium.time.MicroTimestamp", FromNumber<1000>},
    {ConnectType::kInt64, "io.debezium.time.NanoTimestamp", FromNumber<1'000'000>},
    {ConnectType::kInt64, "org.apache.kafka.connect.data.Timestamp", FromNumber<1>},
    {ConnectType::kString, "io.debezium.time.ZonedTimestamp", FromText},
    {ConnectType::kString, "io.debezium.time.IsoTimestamp", FromText},
};

constexpr absl::string_view kNoTimestamp =
    " is not a timestamp, so it cannot give the event's time; make it timestamptz, or remove "
    "table.field.event.timestamp";

// to_millis: null for values that say nothing.
event::ValueFunctionPtr Function(ToMillis to_millis, const std::string& column) {
  return MakeFunction([to_millis, column](auto in, std::string*, Scalar* out) {
    int64_t millis = 0;
    *out = in.size() > 1 ? in[1] : Scalar::Null();
    if (in[0].is_null()) return absl::OkStatus();
    if (to_millis == nullptr) return RecordError(absl::StrCat("column ", column, kNoTimestamp));
    if (!to_millis(in[0], &millis))
      return RecordError("its timestamp cannot be represented in Kafka");
    // Kafka's clock begins in 1970.
    if (millis < 0) return RecordError("its timestamp is before 1970, which Kafka refuses");
    *out = Scalar::Integer(millis);
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<std::optional<Node>> EventTimestamp(const std::string& column, const Node& row,
                                                   const Node* clock) {
  std::optional<Node> now;
  if (clock != nullptr) now = *clock;
  if (column.empty()) return now;
  const Node* found = row.Find(column);
  if (found == nullptr)
    return RecordError(absl::StrCat("column ", column, " does not exist in the row"));
  ToMillis to_millis = nullptr;
  for (const TimestampType& one : kTypes) {
    if (found->schema == nullptr || found->schema->type != one.type ||
        found->schema->name != one.schema)
      continue;
    to_millis = one.to_millis;
  }
  // Of other numbers nothing says what they mean: they are an error where they are not NULL.
  const bool number = found->schema != nullptr && found->schema->type == ConnectType::kInt64;
  if (to_millis == nullptr && !number)
    return RecordError(absl::StrCat("column ", column, kNoTimestamp));
  std::vector<Node> operands = {*found};
  if (now) operands.push_back(*now);
  return std::optional<Node>(event::FunctionNode(PlainSchema(ConnectType::kInt64, true),
                                                 Function(to_millis, column), std::move(operands)));
}

}  // namespace walduct::transform
