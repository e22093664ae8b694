// header.converter: headers that are there without any transform. What transforms put into headers
// is in the golden scenarios header_*.
#include <gmock/gmock.h>

#include "base/error.h"
#include "encode/options/converter_options.h"
#include "event/header_error.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class HeaderConverterTest : public EncodeTest {
 protected:
  HeaderConverterTest() { options_.header = ConverterOptions(); }

  // Of the delete that a changed key begins with.
  absl::Status ChangeKey() {
    event::ChangeEvent change = Change(*orders_, event::Operation::kUpdate);
    change.before = row_;
    change.after = row_;
    event::Emission emission = Emit(change);
    emission.operation = event::Operation::kDelete;
    emission.key_header = event::KeyHeader::kNewKey;
    return encoder().Encode(emission, &record_);
  }

  std::vector<std::pair<std::string, std::string>> Headers() {
    const absl::Status status = ChangeKey();
    EXPECT_TRUE(status.ok()) << status;
    std::vector<std::pair<std::string, std::string>> headers;
    for (const event::Header& h : record_.headers)
      headers.emplace_back(std::string(h.name), std::string(h.value));
    return headers;
  }

  std::shared_ptr<event::TableSchema> orders_ = OrdersTable();
  std::vector<event::Value> row_ = {Text("30"), Text("cy"), Text("0.01"), Text("y")};
};

constexpr char kText[] = R"({"schema":{"type":"string","optional":false},"payload":)";

TEST_F(HeaderConverterTest, JsonWithSchemas) {
  EXPECT_THAT(
      Headers(),
      ElementsAre(
          Pair(
              "__debezium.newkey",
              R"({"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],)"
              R"("optional":false,"name":"srv.public.orders.Key"},"payload":{"id":30}})"),
          Pair("__debezium.context.connectorLogicalName", std::string(kText) + R"("srv"})"),
          Pair("__debezium.context.taskId", std::string(kText) + R"("0"})"),
          Pair("__debezium.context.connectorName", std::string(kText) + R"("postgresql"})"),
          Pair("__debezium.context.runId", std::string(kText) + R"("01a1fbb7"})")));
  EXPECT_EQ(Key(), R"({"id":30})");
}

TEST_F(HeaderConverterTest, JsonWithoutSchemas) {
  options_.header->schemas_enable = false;
  EXPECT_THAT(Headers(), ElementsAre(Pair("__debezium.newkey", R"({"id":30})"),
                                     Pair("__debezium.context.connectorLogicalName", R"("srv")"),
                                     Pair("__debezium.context.taskId", R"("0")"),
                                     Pair("__debezium.context.connectorName", R"("postgresql")"),
                                     Pair("__debezium.context.runId", R"("01a1fbb7")")));
}

TEST_F(HeaderConverterTest, Strings) {
  options_.header->kind = ConverterKind::kString;
  EXPECT_THAT(Headers(), ElementsAre(Pair("__debezium.newkey", "Struct{id=30}"),
                                     Pair("__debezium.context.connectorLogicalName", "srv"),
                                     Pair("__debezium.context.taskId", "0"),
                                     Pair("__debezium.context.connectorName", "postgresql"),
                                     Pair("__debezium.context.runId", "01a1fbb7")));
}

TEST_F(HeaderConverterTest, TextIsNoBytes) {
  options_.header->kind = ConverterKind::kByteArray;
  options_.extended_headers = false;
  const absl::Status status = ChangeKey();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(status), "byte_array_converter");
  EXPECT_TRUE(event::IsHeaderError(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("header '__debezium.newkey': header.converter=ByteArrayConverter"));
}

TEST_F(HeaderConverterTest, RecordsWithoutHeadersPassTheByteArrayConverter) {
  options_.header->kind = ConverterKind::kByteArray;
  options_.extended_headers = false;
  EXPECT_THAT(Insert(*orders_, row_), HasSubstr(R"("after":{"id":30,)"));
  EXPECT_TRUE(record_.headers.empty());
}

// Values and keys are written as without a header converter.
TEST_F(HeaderConverterTest, TheRestIsUntouched) {
  const std::string with = Insert(*orders_, row_);
  encoder_.reset();
  options_.header.reset();
  EXPECT_EQ(with, Insert(*orders_, row_));
}

}  // namespace
}  // namespace walduct::encode
