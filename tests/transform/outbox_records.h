// Rows of an outbox table and logical messages as templates of constants: those of
// vectors/OutboxRecords.java.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "tests/transform/sample_records.h"

namespace walduct::transform {

class OutboxRecords : public SampleRecords {
 public:
  static bool Has(absl::string_view name) {
    return absl::StartsWith(name, "outbox") || absl::StartsWith(name, "json ") ||
           absl::StartsWith(name, "message ");
  }

  static event::RecordTemplate Make(const std::string& name) {
    event::RecordTemplate record;
    record.headers = {Text("__debezium.context.taskId", "0")};
    if (absl::StartsWith(name, "message ")) return Message(name.substr(8), std::move(record));
    record.topic = "srv.public.outbox";
    record.key = Build("srv.public.outbox.Key", 0, false, {Uuid()});
    if (name == "outbox_tombstone") return record;
    Node before = event::NullNode(RowSchema(), "before"),
         after = event::NullNode(RowSchema(), "after");
    if (name == "outbox_update" || name == "outbox_delete") before = Row("outbox", "before");
    if (name != "outbox_delete" && name != "outbox_truncate") after = Row(name, "after");
    record.value = Envelope(Operation(name), std::move(before), std::move(after), false);
    record.value->Find("source")->Find("table")->leaf.constant_text = "outbox";
    event::ConnectSchema schema = *record.value->schema;
    schema.name = "srv.public.outbox.Envelope";
    record.value->schema = event::Shared(schema);
    return record;
  }

 private:
  static std::string Operation(const std::string& name) {
    for (const char* op : {"read", "update", "delete", "truncate"}) {
      if (absl::EndsWith(name, op)) return std::string(op, 1);
    }
    return "c";
  }

  static Node Uuid() {
    return event::ConstantNode(Of(Type::kString, false, "io.debezium.data.Uuid"),
                               Scalar::Text("11111111-1111-1111-1111-111111111111"), "id");
  }

  static event::ConnectSchemaPtr RowSchema() {
    event::ConnectSchema schema = event::Schema(Type::kStruct);
    schema.name = "srv.public.outbox.Value";
    schema.optional = true;
    schema.fields = {{"id", Uuid().schema},
                     {"aggregatetype", Of(Type::kString, true)},
                     {"aggregateid", Of(Type::kString, true)},
                     {"type", Of(Type::kString)},
                     {"payload", Of(Type::kString, true, "io.debezium.data.Json")},
                     {"ts", Of(Type::kInt64, true, "io.debezium.time.MicroTimestamp")},
                     {"tenant", WithDefault(Type::kString, true, Scalar::Text("acme"))},
                     {"ver", Of(Type::kInt32, true)},
                     {"part", Of(Type::kInt32, true)},
                     {"small", Of(Type::kInt16, true)},
                     {"num", Of(Type::kInt64, true)},
                     {"zts", Of(Type::kString, true, "io.debezium.time.ZonedTimestamp")},
                     {"bin", Of(Type::kBytes, true)},
                     {"f", Of(Type::kDouble, true)}};
    return event::Shared(schema);
  }

  static Node Row(const std::string& name, const std::string& member) {
    std::vector<Node> members = {
        Value("id", Scalar::Text("11111111-1111-1111-1111-111111111111")),
        Value("aggregatetype", Scalar::Text("Order")),
        Value("aggregateid", Scalar::Text("10")),
        Value("type", Scalar::Text("OrderCreated")),
        Value("payload",
              Scalar::Text(R"({"o": {"a": "b"}, "x": null, "id": 1, "arr": [1, 2], "e": []})")),
        Value("ts", Scalar::Integer(1577836800123456)),
        Value("tenant", Scalar::Text("ten")),
        Value("ver", Scalar::Integer(3)),
        Value("part", Scalar::Integer(2)),
        Value("small", Scalar::Integer(4)),
        Value("num", Scalar::Integer(5000000000)),
        Value("zts", Scalar::Text("2020-01-01T00:00:00.5Z")),
        Value("bin", Scalar::Bytes("\x01\x02\xff")),
        Value("f", Scalar::Real(2.5))};
    const auto set = [&members](size_t index, const Scalar& value) {
      members[index] = Value(members[index].name, value);
    };
    if (absl::StartsWith(name, "json ")) set(4, Scalar::Text(name.substr(5)));
    if (name == "outbox_blank") set(4, Scalar::Text(" \t "));
    if (name == "outbox_no_route") set(1, Scalar::Null());
    if (name == "outbox_empty_route") set(1, Scalar::Text(""));
    if (name == "outbox_old") set(5, Scalar::Integer(-1234567));
    for (size_t i = 4; name == "outbox_sparse" && i < members.size(); ++i) set(i, Scalar::Null());
    if (name == "outbox_sparse") set(2, Scalar::Null());
    return Struct(RowSchema(), std::move(members), member);
  }

  static event::RecordTemplate Message(const std::string& content, event::RecordTemplate record) {
    const auto text = Of(Type::kString, true);
    record.topic = "srv.message";
    record.key = Build("io.debezium.connector.postgresql.MessageKey", 1, false,
                       {event::ConstantNode(text, Scalar::Text("outbox"), "prefix")});
    Node message =
        Build("io.debezium.connector.postgresql.Message", 1, false,
              {event::ConstantNode(text, Scalar::Text("outbox"), "prefix"),
               event::ConstantNode(Of(Type::kBytes, true), Scalar::Bytes(content), "content")},
              "message");
    const Node change = Envelope("m", event::NullNode(RowSchema(), "before"),
                                 event::NullNode(RowSchema(), "after"), false);
    record.value = Build("io.debezium.connector.postgresql.MessageValue", 1, false,
                         {Text("op", "m"), *change.Find("ts_ms"), *change.Find("source"),
                          *change.Find("transaction"), std::move(message)});
    return record;
  }
};

}  // namespace walduct::transform
