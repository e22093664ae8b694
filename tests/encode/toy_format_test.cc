// Every type in a second, binary format: what it holds, decoded by the schema alone, is what
// JsonConverter writes of the same row.
#include "tests/encode/toy_format.h"

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "encode/options/column_options.h"
#include "encode/options/value_options.h"
#include "encode/readers/read_table.h"
#include "java/regex/regex_list.h"
#include "tests/encode/format_fixture.h"
#include "tests/encode/toy_reader.h"

namespace walduct::encode {

template struct ReadTable<ToyWriter>;

namespace {

using ToyFormatTest = FormatTest<ToyWriter, ToyReader>;

TEST_F(ToyFormatTest, HoldsEveryType) { ExpectSameInEveryType(); }

TEST_F(ToyFormatTest, HoldsEveryTypeAsText) {
  options_.values.decimal = DecimalMode::kString;
  options_.values.time = TimeMode::kIsoString;
  options_.values.binary = BinaryMode::kHex;
  options_.values.interval_string = true;
  options_.values.hstore_map = true;
  options_.values.include_unknown = true;
  ExpectSameInEveryType();
}

TEST_F(ToyFormatTest, HoldsEveryTypeAsNumbers) {
  options_.values.decimal = DecimalMode::kDouble;
  options_.values.time = TimeMode::kConnect;
  options_.values.binary = BinaryMode::kBase64UrlSafe;
  options_.values.keep_lost = true;
  ExpectSameInEveryType();
}

TEST_F(ToyFormatTest, HoldsWhatIsNotThere) {
  options_.value.replace_null_with_default = false;
  const auto table = MakeTable("t",
                               {{"a", ArrayOf(MakeType("int4"))},
                                {"n", MakeType("numeric"), NumericTypmod(10, 2)},
                                {"f", MakeType("float8")},
                                {"d", MakeType("int4"), -1, false, "7"},
                                {"e", MakeType("int4"), -1, true, "7"},
                                {"h", MakeType("hstore")}},
                               {});
  ExpectSame(*table,
             {Text("{1,NULL,3}"), Text("NaN"), Text("-Infinity"), Null(), Null(), Text("")});
  ExpectSame(*table, {Toast(), Text("-0.01"), Text("1e-300"), Text("8"), Text("8"), Null()});
}

TEST_F(ToyFormatTest, HoldsMasks) {
  const auto mask = [&](ColumnMaskKind kind, const char* column) {
    options_.columns.masks.push_back(
        {kind, 3, "SHA-256", "salt", java::RegexList::OfChecked(column)});
  };
  mask(ColumnMaskKind::kStars, "public.t.s");
  mask(ColumnMaskKind::kHash, "public.t.h");
  mask(ColumnMaskKind::kTruncate, "public.t.(c|b)");
  const auto table = MakeTable("t",
                               {{"s", MakeType("text")},
                                {"h", MakeType("varchar"), 24},
                                {"c", MakeType("text")},
                                {"b", MakeType("bytea")}},
                               {});
  ExpectSame(*table, {Text("secret"), Text("secret"), Text("secret"), Text("\\x0102030405")});
}

}  // namespace
}  // namespace walduct::encode
