// From the bytes of the walsender to the bytes of Kafka, through assembler, router and encoder, a
// row allocates nothing once buffers have grown and plans are compiled: a table with a column of
// every type and an array of each.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "encode/options/encode_options.h"
#include "encode/options/value_options.h"
#include "encode/record_encoder.h"
#include "names/table_filter.h"
#include "pgoutput/assembler.h"
#include "route/options.h"
#include "route/router.h"
#include "tests/support/allocations.h"
#include "tests/support/chain_config.h"
#include "tests/support/pgoutput_builder.h"
#include "tests/support/type_samples.h"
#include "transform/chain/chain.h"

namespace walduct::slot {
namespace {

constexpr uint32_t kTable = 16384;

class StandingClock : public Clock {
 public:
  absl::Time Now() override { return absl::FromUnixNanos(1795224448748743940); }
  absl::Duration Monotonic() override { return absl::ZeroDuration(); }
};

// Answers the one table of this test.
class OneTable : public event::SchemaResolver {
 public:
  explicit OneTable(event::TableSchemaPtr schema) : schema_(std::move(schema)) {}
  absl::Status Ask(const event::RelationDescription&) override { return absl::OkStatus(); }
  absl::StatusOr<event::TableSchemaPtr> Poll() override { return schema_; }

 private:
  const event::TableSchemaPtr schema_;
};

// Routes and encodes what comes, and keeps nothing but the size.
class EncodingHandler : public event::ChangeHandler {
 public:
  EncodingHandler(route::Router& router, encode::RecordEncoder& encoder)
      : router_(router), encoder_(encoder) {}

  absl::Status OnBegin(const event::TransactionInfo&) override { return absl::OkStatus(); }
  absl::Status OnCommit(const event::TransactionInfo&, const event::Position&) override {
    return absl::OkStatus();
  }
  absl::Status OnChange(const event::ChangeEvent& change) override {
    absl::Status status = router_.Route(change, &emissions_);
    for (const event::Emission& emission : emissions_) {
      if (status.ok()) status = encoder_.Encode(emission, &record_);
      if (status.ok() && record_.value) bytes += record_.value->size();
    }
    return status;
  }

  size_t bytes = 0;

 private:
  route::Router& router_;
  encode::RecordEncoder& encoder_;
  route::Router::Emissions emissions_;
  event::Record record_;
};

class AllocationTest : public ::testing::Test {
 protected:
  AllocationTest() {
    auto schema = std::make_shared<event::TableSchema>();
    schema->relation = Oid{kTable};
    schema->schema = "public";
    schema->table = "every";
    schema->key_columns = {0};
    Add("id", std::make_shared<event::Type>(IntegerType()), -1, "1", schema.get());
    schema->columns[0].optional = false;
    for (const test::TypeSample& sample : test::TypeSamples()) {
      Add("s", test::TypeOf(sample), sample.typmod, sample.text, schema.get());
      Add("a", test::ArrayTypeOf(sample), sample.typmod, test::ArrayTextOf(sample), schema.get());
    }
    schema_ = schema;
    options_.topic_prefix = "srv";
    options_.database = "shop";
  }

  static event::Type IntegerType() {
    event::Type type;
    type.schema = "pg_catalog";
    type.name = "int4";
    return type;
  }

  std::string ColumnOf(absl::string_view type) const {
    for (const event::Column& column : schema_->columns) {
      if (column.type->name == type) return column.name;
    }
    return "";
  }

  void Add(const char* prefix, std::shared_ptr<const event::Type> type, int32_t typmod,
           const std::string& text, event::TableSchema* schema) {
    event::Column column;
    column.name = prefix + std::to_string(schema->columns.size());
    column.type = std::move(type);
    column.typmod = typmod;
    relation_.columns.push_back({column.name, 23, schema->columns.empty(), typmod});
    schema->columns.push_back(std::move(column));
    row_.push_back(test::Text(text));
  }

  // The allocations of the last hundred rounds of insert, update with an old row and delete.
  size_t Count(bool schemas, const event::TransformChain* chain = nullptr) {
    const size_t per_row = chain == nullptr ? 5000 : 3500;
    return CountOf(schemas, chain, 3 * per_row);
  }

  // round_bytes: what the values of a round have at least.
  size_t CountOf(bool schemas, const event::TransformChain* chain, size_t round_bytes) {
    options_.key.schemas_enable = schemas;
    options_.value.schemas_enable = schemas;
    auto encoder = *encode::RecordEncoder::Create(options_, clock_, "01a1fbb7", chain);
    route::RouteOptions transform;
    transform.topic_prefix = "srv";
    const names::TableFilter filter{names::TableFilterOptions()};
    route::Router router(transform, filter);
    EncodingHandler handler(router, *encoder);
    OneTable resolver(schema_);
    pgoutput::Assembler assembler(resolver, handler, {});
    relation_.oid = kTable;
    relation_.identity = 'f';
    const std::string begin = test::BeginBytes(2000, 1, 1);
    const std::string relation = test::RelationBytes(relation_);
    const std::string insert = test::InsertBytes(kTable, row_);
    const std::string update = test::UpdateBytes(kTable, {'O', row_}, row_);
    const std::string removal = test::DeleteBytes(kTable, {'O', row_});
    absl::Status status = assembler.OnMessage(Lsn(1000), begin);
    status.Update(assembler.OnMessage(Lsn(1000), relation));
    const auto round = [&] {
      for (const std::string* message : {&insert, &update, &removal})
        status.Update(assembler.OnMessage(Lsn(1001), *message));
    };
    for (int i = 0; i < 10; ++i) round();
    const size_t before = test::allocations;
    for (int i = 0; i < 100; ++i) round();
    const size_t after = test::allocations;
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_GE(handler.bytes, 110u * round_bytes);
    return after - before;
  }

  StandingClock clock_;
  encode::EncodeOptions options_;
  event::TableSchemaPtr schema_;
  test::RelationSpec relation_;
  test::Cells row_;
};

TEST_F(AllocationTest, NoneWithoutSchemas) { EXPECT_EQ(Count(false), 0u); }

TEST_F(AllocationTest, NoneWithSchemas) { EXPECT_EQ(Count(true), 0u); }

// Unwrapped with added fields, keyed by a column's text, sent to the topic that a column names and
// renamed.
TEST_F(AllocationTest, NoneThroughTransforms) {
  const auto transforms = transform::Chain::Create(test::ChainOf(test::InOrder(
      {test::OneTransform("u", "ExtractNewRecordState",
                          {{"delete.tombstone.handling.mode", "rewrite"},
                           {"add.fields", "op,source.ts_ms,lsn"},
                           {"route.by.field", ColumnOf("text")}}),
       test::OneTransform("k", "Cast$Key", {{"spec", "id0:string"}}),
       test::OneTransform("r", "RegexRouter", {{"regex", "(.*)"}, {"replacement", "x-$1"}})})));
  EXPECT_EQ(Count(false, transforms.get()), 0u);
}

// The event of an outbox row: routed by a text, keyed by another, with a header; nothing of updates
// and deletes.
TEST_F(AllocationTest, NoneThroughTheEventRouter) {
  const auto option = [](const char* name) { return absl::StrCat("transforms.outbox.", name); };
  test::PropertyList properties = test::OutboxRouting();
  const std::string text = ColumnOf("text"), payload = ColumnOf("jsonb");
  properties.back().second = absl::StrCat(ColumnOf("varchar"), ":header:eventType");
  properties.emplace_back(option("table.field.event.id"), ColumnOf("uuid"));
  properties.emplace_back(option("table.field.event.key"), text);
  properties.emplace_back(option("table.field.event.payload"), payload);
  properties.emplace_back(option("route.by.field"), text);
  properties.emplace_back(option("route.topic.replacement"), "events");
  const auto chain = transform::Chain::Create(test::ChainOf(properties));
  EXPECT_EQ(CountOf(false, chain.get(), 10), 0u);
}

TEST_F(AllocationTest, NoneInOtherForms) {
  options_.values.decimal = encode::DecimalMode::kString;
  options_.values.time = encode::TimeMode::kIsoString;
  options_.values.binary = encode::BinaryMode::kHex;
  options_.values.hstore_map = true;
  options_.values.interval_string = true;
  options_.values.include_unknown = true;
  options_.values.keep_lost = true;
  EXPECT_EQ(Count(false), 0u);
}

TEST_F(AllocationTest, NoneInNumbers) {
  options_.values.decimal = encode::DecimalMode::kDouble;
  options_.values.time = encode::TimeMode::kNanoseconds;
  options_.values.binary = encode::BinaryMode::kBase64UrlSafe;
  options_.values.include_unknown = true;
  EXPECT_EQ(Count(true), 0u);
}

}  // namespace
}  // namespace walduct::slot
