// The hot path allocates nothing once its buffers have grown and its plan is compiled.
#include <memory>

#include "encode/options/cloud_events_options.h"
#include "encode/options/column_options.h"
#include "encode/options/converter_options.h"
#include "java/regex/regex_list.h"
#include "tests/encode/encode_fixture.h"
#include "tests/support/allocations.h"
#include "tests/support/fake_schema_ids.h"

namespace walduct::encode {
namespace {

class AllocationTest : public EncodeTest {
 protected:
  // Encodes an update with a key header again and again; returns the allocations of the last
  // thousand.
  size_t CountAllocations(const char* items = "{\"a long element of an array\",b,NULL}") {
    const auto array = ArrayOf(MakeType("text"));
    const auto table = MakeTable("t",
                                 {{"id", MakeType("int8"), -1, false},
                                  {"n", MakeType("numeric"), NumericTypmod(38, 10)},
                                  {"v", MakeType("numeric")},
                                  {"m", MakeType("money")},
                                  {"f", MakeType("float8")},
                                  {"s", MakeType("text")},
                                  {"b", MakeType("bytea")},
                                  {"bits", MakeType("varbit")},
                                  {"t", MakeType("timestamptz")},
                                  {"i", MakeType("interval")},
                                  {"h", MakeType("hstore")},
                                  {"a", array}},
                                 {0});
    const std::vector<event::Value> row = {
        Text("123456789012345"),
        Text("-9999999999999999999999999999.9999999999"),
        Text("12345678901234567890.5"),
        Text("-$1,234.56"),
        Text("1.25e-09"),
        Text("some \"quoted\" text of no great length \xF0\x9F\x98\x80"),
        Text("\\x00ff10abcdef"),
        Text("1010101010101"),
        Text("2016-11-04 11:51:30.123456+00"),
        Text("1 year 2 mons 3 days 04:05:06.78"),
        Text("\"key one\"=>\"value\", \"other key\"=>NULL"),
        event::Value::Text(items)};
    event::ChangeEvent change = Change(*table, event::Operation::kUpdate);
    change.before = row;
    change.after = row;
    event::Emission emission = Emit(change);
    emission.key_header = event::KeyHeader::kNewKey;
    if (transactions_) BeginTransaction(0, &change);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(encoder().Encode(emission, &record_).ok());
    const size_t before = test::allocations;
    bool ok = true;
    for (uint64_t i = 0; i < 1000; ++i) {
      if (transactions_) BeginTransaction(i, &change);
      ok &= encoder().Encode(emission, &record_).ok();
    }
    EXPECT_TRUE(ok);
    return test::allocations - before;
  }

  static void BeginTransaction(uint64_t number, event::ChangeEvent* change) {
    change->xid = 204126 + number;
    change->lsn = Lsn(2393226040 + 100 * number);
    change->last_commit_end = Lsn(2393226000 + 100 * number);
    change->source_time_us += 1000;
  }

  bool transactions_ = false;  // each change is one of its own
};

TEST_F(AllocationTest, NoneWithoutSchemas) { EXPECT_EQ(CountAllocations(), 0u); }

TEST_F(AllocationTest, NoneWhereEachRowIsATransaction) {
  transactions_ = true;
  EXPECT_EQ(CountAllocations(), 0u);
  options_.key.kind = options_.value.kind = ConverterKind::kString;
  encoder_.reset();
  EXPECT_EQ(CountAllocations(), 0u);
}

TEST_F(AllocationTest, NoneWithAHeaderConverter) {
  options_.header = ConverterOptions();
  EXPECT_EQ(CountAllocations(), 0u);
  encoder_.reset();
  options_.header->kind = ConverterKind::kString;
  EXPECT_EQ(CountAllocations(), 0u);
}

TEST_F(AllocationTest, NoneWithSchemas) {
  options_.key.schemas_enable = true;
  options_.value.schemas_enable = true;
  EXPECT_EQ(CountAllocations(), 0u);
}

TEST_F(AllocationTest, NoneWithEvents) {
  transactions_ = true;
  options_.value.cloud_events = std::make_shared<const CloudEventsOptions>();
  EXPECT_EQ(CountAllocations(), 0u);
}

TEST_F(AllocationTest, NoneInProtobuf) {
  transactions_ = true;
  test::FakeSchemaIds ids;
  options_.key.kind = options_.value.kind = ConverterKind::kProtobuf;
  encoder_ = *RecordEncoder::Create(options_, clock_, "01a1fbb7", nullptr, {&ids, &ids});
  EXPECT_EQ(CountAllocations("{\"a long element of an array\",b}"), 0u);
  encoder_.reset();
}

TEST_F(AllocationTest, NoneWithMasks) {
  const auto mask = [&](ColumnMaskKind kind, const char* column) {
    options_.columns.masks.push_back(
        {kind, 5, "SHA-256", "salt", java::RegexList::OfChecked(column)});
  };
  mask(ColumnMaskKind::kTruncate, "public.t.(b|h|t)");
  mask(ColumnMaskKind::kHash, "public.t.s");
  EXPECT_EQ(CountAllocations(), 0u);
  options_.columns.masks.clear();
  mask(ColumnMaskKind::kHashV2, "public.t.s");
  encoder_ = nullptr;
  EXPECT_EQ(CountAllocations(), 0u);
}

TEST_F(AllocationTest, TheCounterCounts) {
  const size_t before = test::allocations;
  delete new int(1);
  const std::string text(1000, 'x');
  EXPECT_GT(test::allocations + text.size() - 1000, before);
}

}  // namespace
}  // namespace walduct::encode
