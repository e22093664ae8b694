// The table of PostgreSQL types: one row per type and form says its Connect schema, its reader
// and what stands in for values that are not there. To support one more type, add a row to
// type_rows.cc. Types without a row are left out of records, as Debezium does, unless
// include.unknown.datatypes takes them all.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "encode/values/value_plan.h"
#include "event/connect_schema.h"
#include "event/type.h"

namespace walduct::encode {

struct ValueOptions;

// What a TOAST value that the server did not send is published as.
enum class Placeholder : uint8_t {
  kNone,      // no value of the type can say it: null
  kText,      // unavailable.value.placeholder itself
  kBytes,     // its bytes, for all types whose values are bytes
  kRawText,   // itself, though the type's own texts look different
  kHstore,    // a map of it to itself
  kNumbers,   // its bytes as numbers; arrays only
  kUuid,      // the name-based UUID of its bytes; arrays only
  kKeptText,  // kRawText with walduct.lost.values=keep, else kNone
};

// What an array of the type is to Debezium.
enum class ArrayItems : uint8_t {
  kOptional,
  kRequired,     // items are required: an array with a NULL becomes null
  kNoNulls,      // items are optional, and an array with a NULL becomes null all the same
  kFinite,       // an array with NaN or an infinity becomes null
  kUnsupported,  // left out
  kNulled,       // the schema of the element, and always null
};

// Forms that options give to types, a bit each.
using Forms = uint32_t;
namespace form {
inline constexpr Forms kAlways = 0;
inline constexpr Forms kDecimalDouble = 1u << 0;
inline constexpr Forms kDecimalString = 1u << 1;
inline constexpr Forms kTimeMicros = 1u << 2;  // adaptive_time_microseconds
inline constexpr Forms kConnectTime = 1u << 3;
inline constexpr Forms kIsoTime = 1u << 4;
inline constexpr Forms kMicros = 1u << 5;
inline constexpr Forms kNanos = 1u << 6;
inline constexpr Forms kBase64 = 1u << 7;
inline constexpr Forms kBase64UrlSafe = 1u << 8;
inline constexpr Forms kHex = 1u << 9;
inline constexpr Forms kHstoreMap = 1u << 10;
inline constexpr Forms kIntervalString = 1u << 11;
inline constexpr Forms kKeepLost = 1u << 12;
inline constexpr Forms kUnknown = 1u << 13;  // include.unknown.datatypes, by binary.handling.mode:
inline constexpr Forms kUnknownBytes = 1u << 14;
inline constexpr Forms kUnknownBase64 = 1u << 15;
inline constexpr Forms kUnknownBase64UrlSafe = 1u << 16;
inline constexpr Forms kUnknownHex = 1u << 17;
inline constexpr Forms kIsoTimeKept = 1u << 18;         // kIsoTime and kKeepLost
inline constexpr Forms kIntervalStringKept = 1u << 19;  // kIntervalString and kKeepLost
}  // namespace form

Forms ActiveForms(const ValueOptions& options);

struct TypeMapping;

struct TypeRow {
  absl::string_view postgres;  // pg_type.typname, or a family in angle brackets
  bool in_any_schema = false;  // comes with an extension; else pg_catalog only
  Forms when = form::kAlways;  // any of these forms is active; kAlways: the type's last row
  event::ConnectType becomes = event::ConnectType::kString;
  absl::string_view named = "";  // semantic name of the schema; empty: none
  Reads reads = Reads::kString;
  BytesForm bytes_as = BytesForm::kBytes;
  // Sets what depends on the type modifier (-1: none) and on numbers among the options.
  void (*refine)(int32_t typmod, const ValueOptions& options, TypeMapping* mapping) = nullptr;
  absl::string_view filler = "";  // PostgreSQL text of what replaces NULL in a required field
  // What DEFAULT f() is taken for; null: defaults of the type are not published.
  const char* function_default = nullptr;
  Placeholder not_sent = Placeholder::kNone;  // what stands for a TOAST value not sent
  ArrayItems array = ArrayItems::kOptional;
  Placeholder array_not_sent = Placeholder::kNone;
};

struct TypeMapping {
  event::ConnectSchema schema;  // optional is left to the caller
  ValuePlan plan;
  std::string filler;
  Placeholder placeholder = Placeholder::kNone;
  bool array = false;
  bool always_optional = false;  // optional even where the column is NOT NULL
  bool text_filler = false;      // filler is not the type's own text, but what is written
  bool nulled = false;           // Debezium publishes null whatever the value is
  const TypeRow* row = nullptr;  // of the element when array
};

// The rows of the table: of a type with several, the first whose forms are active counts.
absl::Span<const TypeRow> TypeRows();

// Families of types that share rows.
inline constexpr absl::string_view kEnumFamily = "<enum>";
inline constexpr absl::string_view kGeometricFamily = "<geometric>";
inline constexpr absl::string_view kUnknownFamily = "<unknown>";
inline constexpr absl::string_view kDroppedFamily = "<dropped>";  // what nothing is known of

// Whether a type that was dropped (event::TypeKind::kUnknown) is written as its text, because its
// name is not that of a type in the table, nor that of the array of one.
bool IsKnownByText(const event::Type& type);

// False when the type has no row. Resolves domains; typmod is the column's.
bool MapType(const event::Type& type, int32_t typmod, const ValueOptions& options,
             TypeMapping* mapping);

}  // namespace walduct::encode
