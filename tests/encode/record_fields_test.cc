// Fields of records that are no columns, where the records of other tests do not go.
#include "encode/records/record_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "encode/options/value_options.h"
#include "encode/readers/read_formats.h"

namespace walduct::encode {
namespace {

class RecordFieldsTest : public ::testing::Test {
 protected:
  RecordFieldsTest() { emission_.change = &change_; }

  std::string Text(InputField field, TextFormat format = TextFormat::kJson) {
    OutBuffer text;
    TextTarget target;
    target.out = &text;
    target.format = format;
    fields_.Begin(emission_, now_);
    const bool known = WithTextWriter(target, [&](auto* out) { return fields_.Write(field, out); });
    return known ? std::string(text.view()) : "<null>";
  }

  event::Scalar Value(InputField field) {
    buffer_.clear();
    ScalarWriter writer(&buffer_);
    fields_.Begin(emission_, now_);
    fields_.Write(field, &writer);
    return writer.value();
  }

  event::ChangeEvent change_;
  event::Emission emission_;
  int64_t now_ = 1795224448748743940;
  RecordFields fields_{ValueOptions()};
  std::string buffer_;
};

TEST_F(RecordFieldsTest, XminIsTheSlotsAndNoIncrementalSnapshotHasIt) {
  EXPECT_EQ(Text(InputField::kXmin), "<null>");
  fields_.SetXmin(4294967295);
  EXPECT_EQ(Text(InputField::kXmin), "4294967295");
  EXPECT_EQ(Value(InputField::kXmin).integer, 4294967295);
  change_.snapshot = event::SnapshotMarker::kTrue;
  EXPECT_EQ(Text(InputField::kXmin), "4294967295");
  change_.snapshot = event::SnapshotMarker::kIncremental;
  EXPECT_EQ(Text(InputField::kXmin), "<null>");
}

TEST_F(RecordFieldsTest, TimesAreRoundedDown) {
  change_.source_time_us = -1;
  EXPECT_EQ(Text(InputField::kSourceMillis), "-1");
  EXPECT_EQ(Text(InputField::kSourceMicros), "-1");
  EXPECT_EQ(Text(InputField::kSourceNanos), "-1000");
  change_.source_time_us = 0;
  EXPECT_EQ(Text(InputField::kSourceMillis), "0");
  EXPECT_EQ(Text(InputField::kSourceNanos), "0");
  change_.source_time_us = 999;
  EXPECT_EQ(Text(InputField::kSourceMillis), "0");
  change_.source_time_us = 1795224449141730;
  EXPECT_EQ(Text(InputField::kSourceMillis), "1795224449141");
  EXPECT_EQ(Text(InputField::kSourceNanos), "1795224449141730000");
  now_ = -1;
  EXPECT_EQ(Text(InputField::kClockMillis), "-1");
  EXPECT_EQ(Value(InputField::kClockMicros).integer, -1);
}

TEST_F(RecordFieldsTest, ValuesForFunctionsAreThoseThatAreWritten) {
  change_.source_time_us = 1795224449141730;
  change_.xid = 204126;
  change_.lsn = Lsn(2393226040);
  EXPECT_EQ(Value(InputField::kSourceMillis).integer, 1795224449141);
  EXPECT_EQ(Value(InputField::kClockMillis).integer, 1795224448748);
  EXPECT_EQ(Value(InputField::kLsn).integer, 2393226040);
  EXPECT_EQ(Value(InputField::kBlockId).text, "204126:2393226040");
  EXPECT_EQ(Value(InputField::kSequence).text, R"([null,"2393226040"])");
  EXPECT_TRUE(Value(InputField::kSnapshot).is_null());
}

TEST_F(RecordFieldsTest, SequencesAreWrittenWhole) {
  change_.lsn = Lsn(~uint64_t{0});
  change_.last_commit_end = Lsn(~uint64_t{0} - 1);
  EXPECT_EQ(Text(InputField::kSequence, TextFormat::kStruct),
            R"(["18446744073709551614","18446744073709551615"])");
  EXPECT_EQ(Text(InputField::kSequence),
            R"("[\"18446744073709551614\",\"18446744073709551615\"]")");
  change_.lsn = Lsn();
  EXPECT_EQ(Text(InputField::kSequence, TextFormat::kStruct), R"(["18446744073709551614",null])");
}

TEST_F(RecordFieldsTest, ATransactionHasItsOwnNumberAndAnOriginToo) {
  fields_.Begin(emission_, now_);
  const uint64_t transaction = fields_.transaction(), origin = fields_.origin();
  change_.lsn = Lsn(17);
  fields_.Begin(emission_, now_ + 1);
  EXPECT_EQ(fields_.transaction(), transaction);
  change_.xid = 7;
  fields_.Begin(emission_, now_);
  EXPECT_NE(fields_.transaction(), transaction);
  EXPECT_EQ(fields_.origin(), origin);
  change_.origin = "elsewhere";
  fields_.Begin(emission_, now_);
  EXPECT_NE(fields_.origin(), origin);
}

}  // namespace
}  // namespace walduct::encode
