// The records that tests/transform/vectors was recorded with, as templates of constants.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "event/record_template.h"
#include "tests/transform/json_values.h"

namespace walduct::transform {

class SampleRecords {
 public:
  // name: c, sparse, r, u, sparse_u, bits_u, utx, d, dk, dtx, tombstone, t, nokey, heartbeat, wide_
  // and typed_ c, u, d.
  static event::RecordTemplate Make(const std::string& name) {
    event::RecordTemplate record;
    record.topic = "srv.public.cust";
    record.headers = {Text("__debezium.context.taskId", "0")};
    if (name == "heartbeat") return Heartbeat(std::move(record));
    if (name != "nokey" && name != "t") record.key = Struct(KeySchema(), {Integer("id", 1)});
    if (name == "tombstone") return record;
    if (absl::StartsWith(name, "wide_") || absl::StartsWith(name, "typed_")) {
      record.value = absl::StartsWith(name, "wide_") ? Wide(name.substr(5)) : Typed(name.substr(6));
      return record;
    }
    Node before = event::NullNode(RowSchema(), "before"),
         after = event::NullNode(RowSchema(), "after");
    if (name == "c" || name == "nokey") after = Full("after", "a");
    if (name == "u") after = Full("after", "a");
    if (name == "u") before = Full("before", "b");
    if (name == "d") before = Full("before", "a");
    if (name == "sparse_u") before = Sparse("before"), after = Sparse("after");
    if (name == "bits_u") before = Alike("before", Scalar::Null(), 0.0);
    if (name == "bits_u") after = Alike("after", Scalar::Text("dflt"), -0.0);
    if (name == "dk" || name == "dtx") before = Sparse("before");
    if (name == "sparse" || name == "r" || name == "utx") after = Sparse("after");
    std::string op = name == "sparse" || name == "nokey" ? "c" : name.substr(0, 1);
    if (absl::EndsWith(name, "_u")) op = "u";
    record.value = Envelope(op, before, after, absl::EndsWith(name, "tx"));
    return record;
  }

 protected:
  using Node = event::Node;
  using Type = event::ConnectType;
  using Scalar = event::Scalar;

  static event::ConnectSchemaPtr Of(Type type, bool optional = false, const char* name = "") {
    event::ConnectSchema schema = event::Schema(type, name);
    schema.optional = optional;
    return event::Shared(schema);
  }
  static Node Text(const std::string& name, const std::string& value) {
    return event::ConstantNode(Of(Type::kString), Scalar::Text(value), name);
  }
  static Node Integer(const std::string& name, int64_t value, Type type = Type::kInt32) {
    return event::ConstantNode(Of(type), Scalar::Integer(value), name);
  }
  static Node Null(const std::string& name, Type type) {
    return event::NullNode(Of(type, true), name);
  }
  // Gives the node the schema of that member.
  static Node Typed(Node node, const event::ConnectSchemaPtr& schema) {
    for (const event::ConnectField& field : schema->fields) {
      if (field.name == node.name) node.schema = field.schema;
    }
    return node;
  }
  static Node Struct(const event::ConnectSchemaPtr& schema, std::vector<Node> members,
                     const std::string& name = "") {
    for (Node& member : members) member = Typed(std::move(member), schema);
    return event::StructNode(schema, std::move(members), name);
  }
  static Node Value(const std::string& name, const Scalar& value) {
    return event::ConstantNode(nullptr, value, name);
  }

  static event::ConnectSchemaPtr KeySchema() {
    event::ConnectSchema schema = event::Schema(Type::kStruct);
    schema.name = "srv.public.cust.Key";
    schema.fields = {{"id", Of(Type::kInt32)}};
    return event::Shared(schema);
  }

  static event::ConnectSchemaPtr WithDefault(Type type, bool optional, const Scalar& value) {
    event::ConnectSchema schema = event::Schema(type);
    schema.optional = optional;
    schema.default_value = event::ConnectDefault(value);
    return event::Shared(schema);
  }
  static event::ConnectSchemaPtr Decimal() {
    event::ConnectSchema schema =
        event::Schema(Type::kBytes, "org.apache.kafka.connect.data.Decimal");
    schema.optional = true;
    schema.parameters = {{"scale", "2"}, {"connect.decimal.precision", "10"}};
    return event::Shared(schema);
  }
  static event::ConnectSchemaPtr Point() {
    event::ConnectSchema schema = event::Schema(Type::kStruct, "io.debezium.data.geometry.Point");
    schema.optional = true;
    schema.doc = "Geometry (POINT)";
    schema.fields = {{"x", Of(Type::kDouble)},
                     {"y", Of(Type::kDouble)},
                     {"wkb", Of(Type::kBytes, true)},
                     {"srid", Of(Type::kInt32, true)}};
    return event::Shared(schema);
  }
  static event::ConnectSchemaPtr Texts() {
    event::ConnectSchema schema = event::Schema(Type::kArray);
    schema.optional = true;
    schema.items = Of(Type::kString, true);
    return event::Shared(schema);
  }
  static event::ConnectSchemaPtr RowSchema() {
    event::ConnectSchema schema = event::Schema(Type::kStruct);
    schema.name = "srv.public.cust.Value";
    schema.optional = true;
    schema.fields = {{"id", Of(Type::kInt32)},
                     {"n", WithDefault(Type::kString, true, Scalar::Text("dflt"))},
                     {"nn", Of(Type::kString)},
                     {"v", Decimal()},
                     {"b", Of(Type::kBoolean, true)},
                     {"ts", Of(Type::kInt64, true, "io.debezium.time.MicroTimestamp")},
                     {"d", Of(Type::kInt32, true, "io.debezium.time.Date")},
                     {"ct", Of(Type::kInt64, true, "org.apache.kafka.connect.data.Timestamp")},
                     {"z", Of(Type::kString, true, "io.debezium.time.ZonedTimestamp")},
                     {"by", Of(Type::kBytes, true)},
                     {"arr", Texts()},
                     {"pt", Point()},
                     {"f", Of(Type::kDouble, true)},
                     {"big", WithDefault(Type::kInt64, false, Scalar::Integer(7))}};
    return event::Shared(schema);
  }
  static Node Full(const std::string& name, const std::string& nn) {
    return Struct(
        RowSchema(),
        {Value("id", Scalar::Integer(1)), Value("n", Scalar::Text("x")),
         Value("nn", Scalar::Text(nn)), Value("v", Scalar::Decimal("1.50")),
         Value("b", Scalar::Boolean(true)), Value("ts", Scalar::Integer(1577934245678901)),
         Value("d", Scalar::Integer(18263)), Value("ct", Scalar::Integer(1577934245678)),
         Value("z", Scalar::Text("2020-01-02T03:04:05.678901Z")),
         Value("by", Scalar::Bytes("\x01\x02\xff")),
         Value("arr", TreeOf("[\"p\",\"q\"]", *Texts())),
         Value("pt", TreeOf("{\"x\":1.0,\"y\":2.5,\"wkb\":null,\"srid\":null}", *Point())),
         Value("f", Scalar::Real(2.5)), Value("big", Scalar::Integer(5000000000))},
        name);
  }
  // NULL as leaves, as columns are.
  static Node Sparse(const std::string& name) {
    std::vector<Node> members;
    const event::ConnectSchemaPtr schema = RowSchema();
    for (const event::ConnectField& field : schema->fields)
      members.push_back(event::ConstantNode(field.schema, Scalar::Null(), field.name));
    members[0] = Value("id", Scalar::Integer(1));
    members[2] = Value("nn", Scalar::Text("a"));
    members[13] = Value("big", Scalar::Integer(1));
    return Struct(RowSchema(), std::move(members), name);
  }

  // Columns that are the same, or not quite, before and after.
  static Node Alike(const std::string& name, const Scalar& text, double zero) {
    event::ConnectSchema bits = event::Schema(Type::kBytes, "io.debezium.data.Bits");
    bits.optional = true;
    bits.version = 1;
    bits.parameters = {{"length", "3"}};
    event::ConnectSchema schema = event::Schema(Type::kStruct);
    schema.name = "srv.public.cust.Value";
    schema.optional = true;
    schema.fields = {{"id", Of(Type::kInt32)},
                     {"bits", event::Shared(bits)},
                     {"nobits", event::Shared(bits)},
                     {"n", WithDefault(Type::kString, true, Scalar::Text("dflt"))},
                     {"by", Of(Type::kBytes, true)},
                     {"zero", Of(Type::kDouble, true)},
                     {"nan", Of(Type::kDouble, true)},
                     {"arr", Texts()}};
    return Struct(event::Shared(schema),
                  {Value("id", Scalar::Integer(1)), Value("bits", Scalar::Bytes("\x05")),
                   Value("nobits", Scalar::Null()), Value("n", text),
                   Value("by", Scalar::Bytes("\x01\x02")), Value("zero", Scalar::Real(zero)),
                   Value("nan", Scalar::Real(std::numeric_limits<double>::quiet_NaN())),
                   Value("arr", TreeOf("[\"p\"]", *Texts()))},
                  name);
  }

  // Text of one, two and three bytes per character; no column that EnforceRecordSize stops at.
  static Node WideRow(const std::string& name, const std::string& text) {
    Node row = Full(name, "");
    for (int i = 0; i < 30; ++i) row.members[2].leaf.constant_text += text;
    row.members[1].leaf.constant_text = std::string(50, 'y');
    row.members[3].leaf.constant = Scalar::Null();
    row.members[9].leaf.constant_text = std::string(40, '\0');
    return row;
  }
  static Node Wide(const std::string& op) {
    Node before = event::NullNode(RowSchema(), "before"),
         after = event::NullNode(RowSchema(), "after");
    if (op == "d") before = WideRow("before", "a\u00f1\u20ac");
    if (op == "u") before = WideRow("before", "b");
    if (op != "d") after = WideRow("after", "a\u00f1\u20ac");
    return Envelope(op, before, after, false);
  }
  // Columns with the parameters of column.propagate.source.type.
  static Node Typed(const std::string& op) {
    using Parameters = std::vector<std::pair<std::string, std::string>>;
    const auto column = [](event::ConnectSchema schema, const Parameters& parameters) {
      for (const auto& [name, value] : parameters)
        schema.parameters.push_back({"__debezium.source.column." + name, value});
      return event::Shared(std::move(schema));
    };
    event::ConnectSchema row = event::Schema(Type::kStruct);
    row.name = "srv.public.cust.Value";
    row.optional = true;
    row.fields = {
        {"id", column(event::Schema(Type::kInt32),
                      {{"type", "INT4"}, {"length", "10"}, {"scale", "0"}, {"name", "id"}})},
        {"n_x",
         column(
             *WithDefault(Type::kString, true, Scalar::Text("dflt")),
             {{"type", "VARCHAR"}, {"length", "20"}, {"name", "n-x"}, {"comment", "a \"name\""}})},
        {"t", column(*Of(Type::kString, true), {{"type", "TEXT"}, {"name", "t"}})}};
    const event::ConnectSchemaPtr schema = event::Shared(std::move(row));
    const auto side = [&](const std::string& name, bool there) {
      if (!there) return event::NullNode(schema, name);
      return Struct(schema,
                    {Value("id", Scalar::Integer(1)), Value("n_x", Scalar::Null()),
                     Value("t", Scalar::Text("a"))},
                    name);
    };
    return Envelope(op, side("before", op == "u" || op == "d"),
                    side("after", op == "u" || op == "c"), false);
  }

  static Node Source() {
    event::ConnectSchema snapshot = event::Schema(Type::kString, "io.debezium.data.Enum");
    snapshot.optional = true;
    snapshot.parameters = {
        {"allowed",
         "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"}};
    snapshot.default_value = event::ConnectDefault(Scalar::Text("false"));
    std::vector<Node> members = {
        Text("version", "3.6.1.Final"),
        Text("connector", "postgresql"),
        Text("name", "srv"),
        Integer("ts_ms", 1699999999000, Type::kInt64),
        event::ConstantNode(event::Shared(snapshot), Scalar::Null(), "snapshot"),
        Text("db", "shop"),
        event::ConstantNode(Of(Type::kString, true), Scalar::Text("[null,\"9\"]"), "sequence"),
        event::ConstantNode(Of(Type::kInt64, true), Scalar::Integer(1699999999000001), "ts_us"),
        event::ConstantNode(Of(Type::kInt64, true), Scalar::Integer(1699999999000001000), "ts_ns"),
        Text("schema", "public"),
        Text("table", "cust"),
        event::ConstantNode(Of(Type::kInt64, true), Scalar::Integer(771), "txId"),
        event::ConstantNode(Of(Type::kInt64, true), Scalar::Integer(24023128), "lsn"),
        Null("xmin", Type::kInt64),
        Null("origin", Type::kString),
        Null("origin_lsn", Type::kInt64)};
    return Build("io.debezium.connector.postgresql.Source", 1, false, std::move(members), "source");
  }

  static Node Build(const std::string& schema_name, int version, bool optional,
                    std::vector<Node> members, const std::string& name = "") {
    event::ConnectSchema schema = event::Schema(Type::kStruct);
    schema.name = schema_name;
    if (version > 0) schema.version = version;
    schema.optional = optional;
    for (const Node& member : members) schema.fields.push_back({member.name, member.schema});
    return event::StructNode(event::Shared(schema), std::move(members), name);
  }

  static Node Envelope(const std::string& op, Node before, Node after, bool transaction) {
    Node block = Build("event.block", 1, true,
                       {Text("id", "771:9"), Integer("total_order", 1, Type::kInt64),
                        Integer("data_collection_order", 1, Type::kInt64)},
                       "transaction");
    if (!transaction) block = event::NullNode(block.schema, "transaction");
    const auto number = Of(Type::kInt64, true);
    return Build("srv.public.cust.Envelope", 2, false,
                 {std::move(before), std::move(after), Source(), std::move(block), Text("op", op),
                  event::ConstantNode(number, Scalar::Integer(1700000000123), "ts_ms"),
                  event::ConstantNode(number, Scalar::Integer(1700000000123456), "ts_us"),
                  event::ConstantNode(number, Scalar::Integer(1700000000123456789), "ts_ns")});
  }

  static event::RecordTemplate Heartbeat(event::RecordTemplate record) {
    record.topic = "__debezium-heartbeat.srv";
    record.key =
        Build("io.debezium.connector.common.ServerNameKey", 1, false, {Text("serverName", "srv")});
    record.value = Build("io.debezium.connector.common.Heartbeat", 1, false,
                         {Integer("ts_ms", 1700000000123, Type::kInt64)});
    return record;
  }
};

}  // namespace walduct::transform
