// ExtJsonConverter, whose schema a registry keeps, and the converters of one number.
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "encode/formats/number_bytes.h"
#include "encode/program/record_program.h"
#include "encode/records/record_inputs.h"
#include "gmock/gmock.h"
#include "tests/encode/encode_fixture.h"
#include "tests/support/fake_schema_ids.h"

namespace walduct::encode {
namespace {

using event::ConnectType;
using event::Scalar;
using testing::ElementsAre;
using testing::HasSubstr;

class ConverterFormsTest : public EncodeTest {
 protected:
  // Of a value alone.
  absl::StatusOr<std::string> Write(const event::Node& value, const ConverterOptions& converter) {
    event::RecordTemplate record;
    record.topic = "t";
    record.value = value;
    auto program = RecordProgram::Compile(
        record, nullptr,
        {.key = converter, .value = converter, .header = std::nullopt, .ids = {&ids_, &ids_}});
    if (!program.ok()) return program.status();
    RecordInputs inputs(options_.values);
    Scratch scratch;
    ValueContext context;
    context.scratch = &scratch;
    ProgramBuffers buffers;
    event::Record written;
    const absl::Status status = (*program)->Run(inputs, &context, &buffers, &written);
    if (!status.ok()) return status;
    return std::string(written.value.value_or("null"));
  }

  absl::StatusOr<std::string> WriteNumber(const event::ConnectSchema& schema, const Scalar& value,
                                          ConnectType type) {
    ConverterOptions converter;
    converter.kind = ConverterKind::kNumber;
    converter.number = type;
    const auto written = Write(event::ConstantNode(Shared(schema), value), converter);
    if (!written.ok()) return written.status();
    return absl::BytesToHexString(*written);
  }

  static ConverterOptions ExtJson() {
    ConverterOptions converter;
    converter.schemas_enable = false;
    converter.schema_id = true;
    return converter;
  }

  test::FakeSchemaIds ids_;
};

TEST_F(ConverterFormsTest, ExtJsonHasTheIdOfItsSchema) {
  options_.key = options_.value = ExtJson();
  encoder_ = *RecordEncoder::Create(options_, clock_, "01a1fbb7", nullptr, {&ids_, &ids_});
  const auto orders = OrdersTable();
  const std::vector<event::Value> row = {Text("7"), Text("gus"), Text("12.30"), Null()};
  event::ChangeEvent change = Change(*orders, event::Operation::kCreate);
  change.after = row;
  ids_.set_away(true);
  EXPECT_TRUE(absl::IsResourceExhausted(encoder_->Encode(Emit(change), &record_)));
  ids_.set_away(false);
  ASSERT_TRUE(encoder_->Encode(Emit(change), &record_).ok());
  EXPECT_EQ(*record_.key, R"({"schemaId":1,"payload":{"id":7}})");
  EXPECT_THAT(*record_.value,
              HasSubstr(R"({"schemaId":2,"payload":{"before":null,"after":{"id":7,)"));
  EXPECT_THAT(ids_.subjects(), ElementsAre("srv.public.orders-key", "srv.public.orders-value"));
  EXPECT_EQ(ids_.schemas()[0],
            R"({"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],)"
            R"("optional":false,"name":"srv.public.orders.Key"})");
  const size_t asked = ids_.asked();
  ASSERT_TRUE(encoder_->Encode(Emit(change), &record_).ok());
  EXPECT_EQ(ids_.asked(), asked);
}

TEST_F(ConverterFormsTest, ExtJsonHoldsTextsAndNulls) {
  event::ConnectSchema text = event::Schema(ConnectType::kString);
  text.optional = true;
  EXPECT_EQ(*Write(event::ConstantNode(Shared(text), Scalar::Text("x")), ExtJson()),
            R"({"schemaId":1,"payload":"x"})");
  EXPECT_EQ(*Write(event::NullNode(Shared(text)), ExtJson()), R"({"schemaId":1,"payload":null})");
  EXPECT_EQ(*Write(event::NullNode(nullptr), ExtJson()), "null");
  EXPECT_THAT(
      std::string(
          Write(event::ConstantNode(nullptr, Scalar::Text("x")), ExtJson()).status().message()),
      HasSubstr("has no schema, and ExtJsonConverter cannot write it"));
}

TEST_F(ConverterFormsTest, NumbersAreBigEndian) {
  const auto schema = [](ConnectType type) { return event::Schema(type); };
  EXPECT_EQ(*WriteNumber(schema(ConnectType::kInt32), Scalar::Integer(-2), ConnectType::kInt32),
            "fffffffe");
  EXPECT_EQ(*WriteNumber(schema(ConnectType::kInt64), Scalar::Integer(258), ConnectType::kInt64),
            "0000000000000102");
  EXPECT_EQ(*WriteNumber(schema(ConnectType::kInt16), Scalar::Integer(258), ConnectType::kInt16),
            "0102");
  EXPECT_EQ(*WriteNumber(schema(ConnectType::kFloat), Scalar::Real(1.5), ConnectType::kFloat),
            "3fc00000");
  EXPECT_EQ(*WriteNumber(schema(ConnectType::kDouble), Scalar::Real(-1.5), ConnectType::kDouble),
            "bff8000000000000");
  EXPECT_EQ(
      *WriteNumber(schema(ConnectType::kBoolean), Scalar::Boolean(true), ConnectType::kBoolean),
      "01");
}

TEST_F(ConverterFormsTest, NumbersAreOfOneJavaClass) {
  const auto refused = [&](const event::ConnectSchema& schema, ConnectType type) {
    return std::string(WriteNumber(schema, Scalar::Integer(1), type).status().message());
  };
  EXPECT_THAT(refused(event::Schema(ConnectType::kInt16), ConnectType::kInt32),
              HasSubstr("writes values of type int32 only, and the value is something else"));
  EXPECT_THAT(refused(event::Schema(ConnectType::kInt32, "org.apache.kafka.connect.data.Date"),
                      ConnectType::kInt32),
              HasSubstr("is something else"));
  // Debezium's own dates are numbers.
  EXPECT_EQ(*WriteNumber(event::Schema(ConnectType::kInt32, "io.debezium.time.Date"),
                         Scalar::Integer(1), ConnectType::kInt32),
            "00000001");
}

}  // namespace
}  // namespace walduct::encode
