// What the tests of a binary format share: a row in every type, decoded by the schema alone, is
// what JsonConverter writes of the same row. Reader: the format's, of bytes into JSON.
#pragma once

#include <string>
#include <vector>

#include "encode/readers/read_value.h"
#include "encode/table/row_writer.h"
#include "encode/table/table_plan.h"
#include "encode/table/write_row.h"
#include "tests/encode/every_type.h"

namespace walduct::encode {

template <class Writer, class Reader>
class FormatTest : public EveryTypeTest {
 protected:
  virtual Writer MakeWriter(OutBuffer* bytes) { return Writer(bytes); }
  virtual Reader MakeReader(absl::string_view bytes, std::string* json) {
    return Reader(bytes, json);
  }

  // Whether the format has a form for it; NULL takes the place of what it has none for.
  virtual bool HasForm(const event::ConnectSchema&, const event::Value&) { return true; }

  // One row of a table, in both formats.
  void ExpectSame(const event::TableSchema& table, std::vector<event::Value> row) {
    const TablePlan plan = CompileTable({.schema = &table, .topic = "srv.public.t"}, options_);
    const std::vector<event::ConnectField>& fields =
        plan.envelope_schema->Find("after")->schema->fields;
    for (size_t i = 0; i < fields.size(); ++i) {
      event::Value& value = row[plan.row.fields[i].column];
      if (!HasForm(*fields[i].schema, value)) value = Null();
    }
    OutBuffer json, bytes;
    std::string decoded;
    Scratch scratch;
    ValueContext context;
    context.scratch = &scratch;
    context.out = &json;
    context.streaming = streaming_;
    const absl::Status as_json = AppendRow(plan, plan.row, {row, {}}, &context);
    Writer writer = MakeWriter(&bytes);
    const absl::Status as_bytes = WriteRow(plan, plan.row, {row, {}}, &context, &writer);
    ASSERT_TRUE(as_json.ok()) << as_json;
    ASSERT_TRUE(as_bytes.ok()) << as_bytes;
    event::ConnectSchema schema = *plan.envelope_schema->Find("after")->schema;
    schema.optional = false;
    Reader reader = MakeReader(bytes, &decoded);
    reader.Value(schema);
    EXPECT_EQ(decoded, json.view());
    EXPECT_TRUE(reader.done());
  }

  void ExpectSameInEveryType() {
    for (const bool streaming : {false, true}) {
      streaming_ = streaming;
      ExpectSameInEveryTypeOfOneKind();
    }
  }

 private:
  void ExpectSameInEveryTypeOfOneKind() {
    const std::vector<event::Value> row = EveryValue();
    for (const bool optional : {true, false}) {
      const auto table = EveryType(optional);
      ExpectSame(*table, row);
      ExpectSame(*table, std::vector<event::Value>(row.size(), Null()));
    }
    ExpectSame(*EveryType(true), std::vector<event::Value>(row.size(), Toast()));
  }

  bool streaming_ = false;  // rows of changes, not of a snapshot
};

}  // namespace walduct::encode
