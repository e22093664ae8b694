// Sizes as Debezium estimates them, and cutting as Java counts characters.
#include "transform/debezium/record_size.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/transform/json_values.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Scalar;

int64_t DecimalSize(absl::string_view digits) {
  return ValueSize(event::Schema(ConnectType::kBytes, "org.apache.kafka.connect.data.Decimal"),
                   Scalar::Decimal(digits)) -
         24;
}

TEST(RecordSize, ADecimalTakesTheBytesOfItsUnscaledValue) {
  for (const auto& [digits, bytes] : {std::pair("0.00", 1),
                                      {"1.27", 1},
                                      {"1.28", 2},
                                      {"-1.28", 1},
                                      {"-1.29", 2},
                                      {"327.68", 3},
                                      {"-327.68", 2},
                                      {"1E-10", 1},
                                      {"92233720368547758.07", 8},
                                      {"92233720368547758.08", 9},
                                      {"-92233720368547758.08", 8},
                                      {"-184467440737095516.16", 9}})
    EXPECT_EQ(DecimalSize(digits), bytes) << digits;
}

TEST(RecordSize, StructuresTakeTheirPartsAndReferences) {
  const auto text = event::Shared(event::Schema(ConnectType::kString));
  event::ConnectSchema array = event::Schema(ConnectType::kArray);
  array.items = text;
  EXPECT_EQ(ValueSize(array, TreeOf("[\"p\",null,\"\\u00e9\\n\"]", array)), 64 + 65 + 8 + 67);
  EXPECT_EQ(ValueSize(array, TreeOf("[]", array)), 64);
  EXPECT_EQ(ValueSize(array, Scalar::Null()), 0);
  event::ConnectSchema map = event::Schema(ConnectType::kMap);
  map.keys = map.items = text;
  EXPECT_EQ(ValueSize(map, TreeOf("{\"a\":\"b\",\"c\":null}", map)), 88 + 16 + 57 + 57 + 16 + 57);
  event::ConnectSchema point = event::Schema(ConnectType::kStruct);
  point.fields = {{"x", event::Shared(event::Schema(ConnectType::kDouble))},
                  {"wkb", event::Shared(event::Schema(ConnectType::kBytes))},
                  {"srid", event::Shared(event::Schema(ConnectType::kInt32))}};
  EXPECT_EQ(ValueSize(point, TreeOf("{\"x\":1.0,\"wkb\":\"AQI=\",\"srid\":null}", point)),
            56 + 32 + 8 + 24 + 2 + 32);
}

}  // namespace
}  // namespace walduct::transform
