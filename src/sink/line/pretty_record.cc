#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/utf8.h"
#include "rapidjson/document.h"
#include "rapidjson/prettywriter.h"
#include "rapidjson/reader.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"
#include "sink/eyes/operation_names.h"
#include "sink/line/record_text.h"

namespace walduct::sink {
namespace {

constexpr absl::string_view kReset = "\x1b[0m";

constexpr OperationName kTombstone{"", "TOMBSTONE", kRed};

// The envelope's "op", beside or below a schema.
const OperationName& OperationIn(const rapidjson::Document& value) {
  const rapidjson::Value* const payload = json::FindObject(value, "payload");
  const rapidjson::Value* const op = json::FindString(payload == nullptr ? value : *payload, "op");
  return op == nullptr ? kRecord : OperationOf(json::TextOf(*op));
}

class Painter {
 public:
  Painter(bool colour, std::string* out) : colour_(colour), out_(out) {}
  void Append(absl::string_view colour, absl::string_view text) {
    if (colour_) absl::StrAppend(out_, colour, text, kReset);
    if (!colour_) absl::StrAppend(out_, text);
  }

 private:
  const bool colour_;
  std::string* out_;
};

// What a terminal may be sent: bytes that are not text could be commands to it.
std::string Printable(absl::string_view bytes) {
  return IsValidUtf8(bytes) ? std::string(bytes) : absl::StrCat("(", bytes.size(), " bytes)");
}

// Indented, numbers as they are written; absent when it is not JSON.
std::optional<std::string> Indented(absl::string_view json) {
  rapidjson::MemoryStream stream(json.data(), json.size());
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  // Numbers come as text, which the writer would quote.
  struct Handler {
    rapidjson::PrettyWriter<rapidjson::StringBuffer>& to;
    bool Null() { return to.Null(); }
    bool Bool(bool b) { return to.Bool(b); }
    bool Int(int i) { return to.Int(i); }
    bool Uint(unsigned i) { return to.Uint(i); }
    bool Int64(int64_t i) { return to.Int64(i); }
    bool Uint64(uint64_t i) { return to.Uint64(i); }
    bool Double(double d) { return to.Double(d); }
    bool RawNumber(const char* text, unsigned size, bool) {
      return to.RawValue(text, size, rapidjson::kNumberType);
    }
    bool String(const char* text, unsigned size, bool) { return to.String(text, size); }
    bool StartObject() { return to.StartObject(); }
    bool Key(const char* text, unsigned size, bool) { return to.Key(text, size); }
    bool EndObject(unsigned) { return to.EndObject(); }
    bool StartArray() { return to.StartArray(); }
    bool EndArray(unsigned) { return to.EndArray(); }
  } handler{writer};
  constexpr unsigned kFlags =
      rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseIterativeFlag;
  rapidjson::Reader reader;
  if (reader.Parse<kFlags>(stream, handler).IsError()) return std::nullopt;
  return std::string(buffer.GetString(), buffer.GetSize());
}

// Beside or below a schema.
const rapidjson::Value* PayloadOf(const rapidjson::Value& value) {
  if (!value.IsObject()) return &value;
  const auto payload = value.FindMember("payload");
  return payload != value.MemberEnd() && value.HasMember("schema") ? &payload->value : &value;
}

// Null: a change without a row.
const rapidjson::Value* RowOf(const rapidjson::Value& value) {
  const rapidjson::Value* const envelope = PayloadOf(value);
  if (!envelope->IsObject() || !envelope->HasMember("op")) return envelope;
  for (const char* name : {"after", "before", "message"}) {
    if (const rapidjson::Value* const row = json::FindSet(*envelope, name)) return row;
  }
  return nullptr;
}

std::string InLine(absl::string_view bytes) {
  const rapidjson::Document parsed = json::Parse(bytes);
  return parsed.HasParseError() ? Printable(bytes) : json::Print(*PayloadOf(parsed));
}

void AppendInLine(const event::Record& record, const rapidjson::Document& value, Painter& paint,
                  std::string* out) {
  paint.Append(kDim, record.key ? InLine(*record.key) : "(no key)");
  if (record.value && value.HasParseError()) absl::StrAppend(out, " ", Printable(*record.value));
  if (record.value && !value.HasParseError()) {
    if (const rapidjson::Value* row = RowOf(value)) absl::StrAppend(out, " ", json::Print(*row));
  }
  *out += '\n';
}

}  // namespace

void AppendPrettyRecord(const event::Record& record, const PrettyStyle& style, std::string* out) {
  rapidjson::Document value;
  if (record.value) {
    value = json::Parse(*record.value);
  }
  const OperationName& operation =
      !record.value ? kTombstone : (value.HasParseError() ? kRecord : OperationIn(value));
  Painter paint(style.colour, out);
  paint.Append(operation.colour, operation.name);
  *out += ' ';
  paint.Append(kBold, record.topic);
  *out += ' ';
  if (!style.full) {
    AppendInLine(record, value, paint, out);
    return;
  }
  paint.Append(kDim, record.key ? Printable(*record.key) : "(no key)");
  *out += '\n';
  for (const event::Header& header : record.headers) {
    paint.Append(kDim, absl::StrCat("  ", header.name, ": ",
                                    header.is_null ? "null" : Printable(header.value), "\n"));
  }
  if (!record.value) return;
  const std::optional<std::string> indented = Indented(*record.value);
  absl::StrAppend(out, indented ? *indented : Printable(*record.value), "\n");
}

}  // namespace walduct::sink
