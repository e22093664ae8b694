// Whole records in a second, binary format: templates of the one description, decoded by their
// schemas alone, are what JsonConverter writes. The format knows no field, the description no
// format.
#include "encode/program/node_program.h"
#include "encode/records/template_builder.h"
#include "tests/encode/encode_fixture.h"
#include "tests/encode/toy_reader.h"

namespace walduct::encode {
namespace {

class ToyRecordTest : public EncodeTest {
 protected:
  ToyRecordTest() { options_.value.replace_null_with_default = false; }

  std::string Decoded(const event::Node& node, const TablePlan* plan) {
    OutBuffer toy;
    std::string json;
    ToyWriter writer(&toy);
    size_t buffers = 0;
    bool null = false;
    NodeProgram<ToyWriter> program(node, plan, &buffers);
    EXPECT_TRUE(program.status().ok()) << program.status();
    program.BeginTransaction(inputs_);
    const absl::Status status = program.Run(inputs_, &context_, &buffers_, &toy, &writer, &null);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_FALSE(null);
    ToyReader reader(toy, &json);
    reader.Value(*node.schema);
    EXPECT_TRUE(reader.done());
    return json;
  }

  void ExpectSame(const event::Emission& emission) {
    context_.scratch = &scratch_;
    const bool row = emission.change != nullptr && emission.change->schema != nullptr;
    TablePlan plan;
    if (row)
      plan = CompileTable({.schema = emission.change->schema, .topic = emission.topic}, options_);
    const TemplateBuilder builder(options_, run_id_);
    const event::RecordTemplate made =
        row ? builder.OfRow(emission, plan) : builder.OfOther(emission);
    inputs_.Begin(emission, row ? &plan : nullptr, absl::ToUnixNanos(clock_.Now()));
    ASSERT_TRUE(encoder().Encode(emission, &record_).ok());
    if (made.key) {
      EXPECT_EQ(Decoded(*made.key, row ? &plan : nullptr), Key());
    }
    ASSERT_TRUE(made.value.has_value() && record_.value.has_value());
    EXPECT_EQ(Decoded(*made.value, row ? &plan : nullptr), *record_.value);
  }

  const std::string run_id_ = "01a1fbb7";
  RecordInputs inputs_{ValueOptions()};
  Scratch scratch_;
  ValueContext context_;
  ProgramBuffers buffers_;
};

TEST_F(ToyRecordTest, HoldsChangesOfRows) {
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  for (const event::Operation operation :
       {event::Operation::kRead, event::Operation::kCreate, event::Operation::kUpdate,
        event::Operation::kDelete, event::Operation::kTruncate}) {
    event::ChangeEvent change = Change(*orders, operation);
    if (operation != event::Operation::kTruncate) change.before = row;
    if (operation == event::Operation::kCreate || operation == event::Operation::kUpdate)
      change.after = row;
    if (operation == event::Operation::kRead) change.snapshot = event::SnapshotMarker::kLast;
    change.last_commit_end = Lsn(2393226000);
    event::Emission emission = Emit(change);
    if (operation == event::Operation::kTruncate) emission.key = event::KeySource::kNone;
    if (operation == event::Operation::kUpdate) emission.order = {.total = 4, .in_collection = 2};
    ExpectSame(emission);
  }
}

TEST_F(ToyRecordTest, HoldsMessages) {
  const event::LogicalMessage message{true, "p\"q", "\xFB\xEF"};
  event::ChangeEvent change;
  change.operation = event::Operation::kMessage;
  change.message = &message;
  change.origin = "other side";
  change.origin_lsn = Lsn(17);
  ExpectSame(Emit(change));
}

TEST_F(ToyRecordTest, HoldsTransactionsAndHeartbeats) {
  const std::vector<event::CollectionCount> counts = {{"public.orders", 2}, {"public.t2", 2}};
  event::TransactionBoundary boundary;
  boundary.xid = 203840;
  boundary.lsn = Lsn(2300346128);
  boundary.commit_time_us = 1795224379871467;
  event::Emission emission;
  emission.boundary = &boundary;
  emission.topic = "srv.transaction";
  emission.kind = event::RecordKind::kTransactionBegin;
  ExpectSame(emission);
  boundary.events = 4;
  boundary.collections = counts;
  emission.kind = event::RecordKind::kTransactionEnd;
  ExpectSame(emission);
  emission = event::Emission();
  emission.kind = event::RecordKind::kHeartbeat;
  emission.topic = "__debezium-heartbeat.srv";
  ExpectSame(emission);
}

// What transforms put into a template: the constant, and the default of another that is NULL.
TEST_F(ToyRecordTest, HoldsConstantsAndDefaultsThatAreArraysAndStructs) {
  context_.scratch = &scratch_;
  event::ConnectSchema text = event::Schema(event::ConnectType::kString),
                       names = event::Schema(event::ConnectType::kArray);
  text.optional = true;
  names.items = event::Shared(text);
  event::ConnectSchema place = event::Schema(event::ConnectType::kStruct);
  place.optional = true;
  place.fields = {{"x", event::Shared(event::Schema(event::ConnectType::kDouble))},
                  {"names", event::Shared(names)}};
  std::string buffer;
  event::TreeBuilder tree(&buffer);
  tree.Begin(event::Scalar::Kind::kStruct);
  tree.Name("x");
  tree.Add(event::Scalar::Real(1.5));
  tree.Name("names");
  tree.Begin(event::Scalar::Kind::kArray);
  tree.Add(event::Scalar::Text("a"));
  tree.Add(event::Scalar::Null());
  tree.End();
  tree.End();
  event::ConnectSchema with_default = place;
  with_default.default_value = event::ConnectDefault(tree.value());
  event::ConnectSchema list = names;
  list.default_value = event::ConnectDefault(event::TreeField(tree.value(), "names"));
  std::vector<event::Node> members = {
      event::ConstantNode(event::Shared(place), tree.value(), "constant"),
      event::ConstantNode(event::Shared(with_default), event::Scalar::Null(), "default"),
      event::ConstantNode(event::Shared(list), event::Scalar::Null(), "list")};
  event::ConnectSchema record = event::Schema(event::ConnectType::kStruct);
  for (event::Node& member : members) {
    member.leaf.null_is_default = true;
    record.fields.push_back({member.name, member.schema});
  }
  const std::string struct_json = R"({"x":1.5,"names":["a",null]})";
  EXPECT_EQ(Decoded(event::StructNode(event::Shared(record), members), nullptr),
            absl::StrCat(R"({"constant":)", struct_json, R"(,"default":)", struct_json,
                         R"(,"list":["a",null]})"));
}

}  // namespace
}  // namespace walduct::encode
