// docs/types.md is what the code does: it is made from the type table, and this test says when the
// committed file is stale.
//   WALDUCT_WRITE_DOCS=1 build/release/tests/walduct_encode_test --gtest_filter='TypesDocument.*'
//   writes it
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "encode/options/value_options.h"
#include "encode/types/placeholder.h"
#include "tests/encode/value_rendering.h"
#include "tests/support/type_samples.h"

namespace walduct::encode {
namespace {

using test::TypeSample;

constexpr absl::string_view kIntroduction = R"(# Types

<!-- Made from the type table of src/encode: tests/encode/types_document_test.cc says how. Do not edit. -->

What a column of each PostgreSQL type becomes: its schema in Kafka Connect's terms, and a value as JSON. The schema of a nullable
column is optional. A domain is what it is over. differences.md says where Debezium writes something else.

- **array**: whether arrays of the type are written, and whether their items are optional or required in the schema.
- **not sent**: what stands for a large value that an update left unchanged and the server did not send;
  `P` is `unavailable.value.placeholder`.
  Of a domain over an array it is null, of one over hstore `"P"`, or null with `hstore.handling.mode=map`.
- **absent**: what a required column takes in the old row of a delete, where the server sends the key only.
)";

constexpr absl::string_view kDropped = R"(
## Types that are dropped

Migrations make an enum anew, or drop an extension or a domain, and rows that were written before may be read after that. What was known
of their types is kept: what a snapshot, a start or the stream has seen of the types of captured tables, over reconnects, and with the
stored position (`walduct_types`, up to 16 kB, the newest types first) over restarts. A row is written as its type was; rows behind the
migration have another type. Of columns that were dropped or retyped meanwhile default and NOT NULL stay known, too; over a restart those
of columns with such a type.

Of a type that was made and dropped while nobody looked the stream has the name, and of a domain the type under it. A column of a type of
the table above, or of an array of one, is written by that name (without a domain's modifier and NOT NULL); any other, such as an enum, as
text: PostgreSQL's own, also of an array. With `include.unknown.datatypes=true` it is written as unknown types are. A warning names table,
column and type, once each, and `walduct_columns_of_dropped_types_total` counts them. Masks apply to such a column as to one of text.
)";

struct Variant {
  std::string option;
  ValueOptions values;
};

std::vector<Variant> Variants() {
  std::vector<Variant> variants;
  const auto add = [&variants](const std::string& option, const auto& change) {
    variants.push_back({option, {}});
    change(&variants.back().values);
  };
  add("decimal.handling.mode=double", [](auto* v) { v->decimal = DecimalMode::kDouble; });
  add("decimal.handling.mode=string", [](auto* v) { v->decimal = DecimalMode::kString; });
  add("money.fraction.digits=1", [](auto* v) { v->money_fraction_digits = 1; });
  add("time.precision.mode=adaptive_time_microseconds",
      [](auto* v) { v->time = TimeMode::kAdaptiveTimeMicroseconds; });
  add("time.precision.mode=connect", [](auto* v) { v->time = TimeMode::kConnect; });
  add("time.precision.mode=isostring", [](auto* v) { v->time = TimeMode::kIsoString; });
  add("time.precision.mode=microseconds", [](auto* v) { v->time = TimeMode::kMicroseconds; });
  add("time.precision.mode=nanoseconds", [](auto* v) { v->time = TimeMode::kNanoseconds; });
  add("interval.handling.mode=string", [](auto* v) { v->interval_string = true; });
  add("binary.handling.mode=base64", [](auto* v) { v->binary = BinaryMode::kBase64; });
  add("binary.handling.mode=base64-url-safe",
      [](auto* v) { v->binary = BinaryMode::kBase64UrlSafe; });
  add("binary.handling.mode=hex", [](auto* v) { v->binary = BinaryMode::kHex; });
  add("hstore.handling.mode=map", [](auto* v) { v->hstore_map = true; });
  add("include.unknown.datatypes=true", [](auto* v) { v->include_unknown = true; });
  add("include.unknown.datatypes=true, binary.handling.mode=hex", [](auto* v) {
    v->include_unknown = true;
    v->binary = BinaryMode::kHex;
  });
  add("walduct.lost.values=keep", [](auto* v) { v->keep_lost = true; });
  return variants;
}

constexpr const char* kTypeNames[] = {"boolean", "int8",   "int16", "int32", "int64", "float",
                                      "double",  "string", "bytes", "array", "map",   "struct"};

std::string SchemaText(const event::ConnectSchema& schema) {
  std::string text = kTypeNames[static_cast<size_t>(schema.type)];
  if (schema.keys != nullptr) absl::StrAppend(&text, " from ", SchemaText(*schema.keys), " to");
  if (schema.items != nullptr)
    absl::StrAppend(&text, schema.keys != nullptr ? " " : " of ", SchemaText(*schema.items),
                    schema.items->optional ? "?" : "");
  if (!schema.name.empty()) absl::StrAppend(&text, " `", schema.name, "`");
  for (const auto& [key, value] : schema.parameters) absl::StrAppend(&text, ", ", key, "=", value);
  const char* separator = " {";
  for (const event::ConnectField& field : schema.fields) {
    absl::StrAppend(&text, separator, field.name, ": ", SchemaText(*field.schema),
                    field.schema->optional ? "?" : "");
    separator = ", ";
  }
  return schema.fields.empty() ? text : text + "}";
}

std::string Cell(const std::string& text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}});
}

std::string Code(const std::string& text) {
  return text.empty() ? text : absl::StrCat("`", Cell(text), "`");
}

std::string JsonOf(const ValuePlan& plan, absl::string_view text, bool streaming = false) {
  OutBuffer out;
  Scratch scratch;
  ReadContext context{.scratch = &scratch, .streaming = streaming};
  const TextTarget target{.out = &out};
  JsonWriter writer(&target);
  const Outcome outcome = ReadValue(text, plan, &context, &writer);
  if (outcome == Outcome::kAbsent) return "null while streaming, else the text";
  return outcome == Outcome::kOk ? Code(std::string(out.view())) : "null";
}

std::string TypeName(const TypeSample& sample) {
  std::string name = sample.name;
  if (sample.kind == event::TypeKind::kEnum) return "an enum";
  if (sample.kind == event::TypeKind::kComposite) return "a composite type";
  if (sample.kind == event::TypeKind::kMultirange) return "multiranges";
  if (name == "char") return "\"char\"";
  if (name == "path") return "box, circle, line, lseg, path, polygon";
  if (name == "tsquery") return "every other type";
  if (name == "numeric" && sample.typmod >= 0) return "numeric(38,10)";
  if (name == "bpchar" || name == "varchar")
    return absl::StrCat(name == "bpchar" ? "char" : name, "(", sample.typmod - 4, ")");
  if (sample.typmod >= 0) return absl::StrCat(name, "(", sample.typmod, ")");
  return name;
}

std::string ArrayText(const TypeSample& sample, const ValueOptions& values) {
  TypeMapping mapping;
  if (!MapType(*test::ArrayTypeOf(sample), sample.typmod, values, &mapping)) return "left out";
  if (mapping.nulled) return "always null";
  return mapping.schema.items->optional ? "optional" : "required";
}

std::string NotSent(const TypeMapping& mapping) {
  const std::optional<Constant> constant = *PlaceholderOf(mapping, "P");
  return constant ? JsonOf(constant->plan, constant->text) : "null";
}

constexpr const char* kLeftOut = "left out | | ";

// What the options change: the rest is in the first table.
std::string Form(const TypeSample& sample, const ValueOptions& values) {
  TypeMapping mapping;
  if (!MapType(*test::TypeOf(sample), sample.typmod, values, &mapping)) return kLeftOut;
  return absl::StrCat(SchemaText(mapping.schema), " | ", JsonOf(mapping.plan, sample.text, true),
                      " | ", NotSent(mapping));
}

std::string FirstRow(const TypeSample& sample) {
  TypeMapping mapping;
  if (!MapType(*test::TypeOf(sample), sample.typmod, {}, &mapping))
    return absl::StrCat("| ", TypeName(sample), " | left out | ", Code(sample.text),
                        " | | | | |\n");
  ValuePlan filler = mapping.plan;
  filler.precision = 0;
  const std::string absent = JsonOf(filler, mapping.filler);
  return absl::StrCat("| ", TypeName(sample), " | ", SchemaText(mapping.schema), " | ",
                      Code(sample.text), " | ", JsonOf(mapping.plan, sample.text, true), " | ",
                      ArrayText(sample, {}), " | ", NotSent(mapping), " | ", absent, " |\n");
}

std::string Document() {
  std::string text(kIntroduction);
  absl::StrAppend(&text,
                  "\n| type | schema | PostgreSQL's text | value | array | not sent | absent |\n"
                  "|---|---|---|---|---|---|---|\n");
  for (const TypeSample& sample : test::TypeSamples()) text += FirstRow(sample);
  absl::StrAppend(&text,
                  "\n## By option\n\nWhat an option changes, of the same texts.\n\n"
                  "| type | option | schema | value | not sent |\n|---|---|---|---|---|\n");
  for (const TypeSample& sample : test::TypeSamples()) {
    for (const Variant& variant : Variants()) {
      const std::string form = Form(sample, variant.values);
      const bool both = absl::StrContains(variant.option, ", ");
      if (form == Form(sample, {}) || (both && Form(sample, {}) != kLeftOut)) continue;
      absl::StrAppend(&text, "| ", TypeName(sample), " | `", variant.option, "` | ", form, " |\n");
    }
  }
  absl::StrAppend(&text, kDropped);
  return text;
}

TEST(TypesDocument, IsCurrent) {
  const std::string path = std::string(WALDUCT_SOURCE_DIR) + "/docs/types.md";
  if (std::getenv("WALDUCT_WRITE_DOCS") != nullptr) std::ofstream(path) << Document();
  std::ostringstream committed;
  committed << std::ifstream(path).rdbuf();
  EXPECT_EQ(committed.str(), Document())
      << "docs/types.md is stale: run WALDUCT_WRITE_DOCS=1 walduct_encode_test "
         "--gtest_filter='TypesDocument.*'";
}

// The samples are what the document, the allocation tests and the fuzzer go by.
TEST(TypesDocument, ShowsEveryType) {
  std::set<std::string> shown = {"<enum>", "<geometric>", "<unknown>", "<dropped>"};
  for (const TypeSample& sample : test::TypeSamples()) shown.insert(sample.name);
  for (const TypeRow& row : TypeRows())
    EXPECT_TRUE(shown.count(std::string(row.postgres))) << row.postgres;
}

// Every sample is what its type accepts, in every form.
TEST(TypesDocument, SamplesAreValues) {
  for (const TypeSample& sample : test::TypeSamples()) {
    for (const Variant& variant : Variants()) {
      Rendering rendering;
      rendering.values = variant.values;
      EXPECT_NE(Render(*test::TypeOf(sample), sample.typmod, sample.text, rendering), "<malformed>")
          << sample.name << " " << variant.option;
    }
  }
}

}  // namespace
}  // namespace walduct::encode
