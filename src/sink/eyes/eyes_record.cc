#include "sink/eyes/eyes_record.h"

#include <rapidjson/document.h>

#include <optional>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/lsn.h"
#include "base/plain_text.h"
#include "base/utf8.h"
#include "sink/eyes/cut_line.h"
#include "sink/eyes/operation_names.h"
#include "sink/eyes/shown_value.h"

namespace walduct::sink {
namespace {

using Value = rapidjson::Value;

constexpr OperationName kTombstone{"", "TOMBSTONE", kDim};

// JSON with or without its schema; of something else the bytes alone.
struct Shown {
  explicit Shown(const std::optional<absl::string_view>& bytes) : given(bytes) {
    if (!bytes) return;
    document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(
        bytes->data(), bytes->size());
    if (document.HasParseError()) return;
    payload = &document;
    if (!document.IsObject() || document.MemberCount() != 2) return;
    if (!document.HasMember("schema") || !document.HasMember("payload")) return;
    schema = document["schema"].IsNull() ? nullptr : &document["schema"];
    payload = &document["payload"];
  }

  std::optional<absl::string_view> given;
  rapidjson::Document document;
  const Value* payload = nullptr;  // null: it is no JSON
  const Value* schema = nullptr;
};

const Value* Member(const Value* object, absl::string_view name) {
  if (object == nullptr || !object->IsObject()) return nullptr;
  const auto found =
      object->FindMember(Value(name.data(), static_cast<rapidjson::SizeType>(name.size())));
  return found == object->MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

std::string TextIn(const Value* object, absl::string_view name) {
  const Value* const value = Member(object, name);
  return value == nullptr || !value->IsString() ? "" : PlainText(value->GetString());
}

std::optional<int64_t> NumberIn(const Value* object, absl::string_view name) {
  const Value* const value = Member(object, name);
  return value == nullptr || !value->IsInt64() ? std::nullopt : std::optional(value->GetInt64());
}

std::string NameOf(const Value& name) {
  std::string text;
  AppendShownText(absl::string_view(name.GetString(), name.GetStringLength()), &text);
  return text;
}

class EyesLine {
 public:
  EyesLine(const event::Record& record, CutLine* line)
      : record_(record), key_(record.key), value_(record.value), line_(*line) {
    if (const Value* const op = Member(value_.payload, "op"); op != nullptr && op->IsString())
      operation_ = &OperationOf(op->GetString());
    if (!record.value) operation_ = &kTombstone;
    changes_ = !operation_->code.empty();
  }

  void Write() {
    const Value* const source = changes_ ? Member(value_.payload, "source") : nullptr;
    line_.AddPadded(kDim, TimeOf(source), 14);
    const std::optional<int64_t> lsn = NumberIn(source, "lsn");
    line_.AddPadded(kDim, lsn ? Lsn(static_cast<uint64_t>(*lsn)).ToString() : "", 10);
    line_.Add("", " ");
    line_.AddPadded(operation_->colour, operation_->name, 10);
    const std::string table = TextIn(source, "table");
    line_.Add(kBold, table.empty() ? PlainText(record_.topic)
                                   : absl::StrCat(TextIn(source, "schema"), ".", table));
    AddKey();
    if (changes_) {
      AddChange();
    } else {
      AddWhole();
    }
  }

 private:
  std::string TimeOf(const Value* source) const {
    absl::Time time;
    if (const auto us = NumberIn(source, "ts_us")) {
      time = absl::FromUnixMicros(*us);
    } else if (const auto ms = NumberIn(source, "ts_ms")) {
      time = absl::FromUnixMillis(*ms);
    } else if (record_.timestamp_ms) {
      time = absl::FromUnixMillis(*record_.timestamp_ms);
    } else if (record_.made_ms && record_.value) {
      // Of a tombstone it would be later than the commits of the lines behind it.
      time = absl::FromUnixMillis(*record_.made_ms);
    } else {
      return "";
    }
    return absl::FormatTime("%H:%M:%E3SZ", time, absl::UTCTimeZone());
  }

  void AddKey() {
    if (!record_.key) {
      line_.Add(kDim, "  (no key)");
    } else if (key_.payload == nullptr) {
      line_.Add("", absl::StrCat("  ", Bytes(*record_.key)));
    } else if (key_.payload->IsObject()) {
      for (const auto& member : key_.payload->GetObject()) {
        keys_.insert(NameOf(member.name));
        AddField("", member.name, member.value, key_.schema);
      }
    } else {
      std::string text = "  ";
      AppendShown(*key_.payload, key_.schema, &text);
      line_.Add("", text);
    }
  }

  // What is no text could be a command to the terminal.
  static std::string Bytes(absl::string_view bytes) {
    return IsValidUtf8(bytes) ? PlainText(bytes) : absl::StrCat("(", bytes.size(), " bytes)");
  }

  void AddField(absl::string_view colour, const Value& name, const Value& value,
                const Value* schema) {
    std::string text = absl::StrCat("  ", NameOf(name), "=");
    AppendShown(value,
                FieldSchema(schema, absl::string_view(name.GetString(), name.GetStringLength())),
                &text);
    line_.Add(colour, text);
  }

  void AddChange() {
    const Value* const before = Member(value_.payload, "before");
    const Value* const after = Member(value_.payload, "after");
    const Value* const of_before = FieldSchema(value_.schema, "before");
    const Value* const of_after = FieldSchema(value_.schema, "after");
    if (operation_->code == "m") {
      AddMessage();
    } else if (operation_->code == "d") {
      if (!record_.key && before != nullptr) AddFields("", *before, of_before);
    } else if (after == nullptr) {
      return;
    } else if (before == nullptr || operation_->code != "u") {
      AddFields("", *after, of_after);
    } else {
      AddDifference(*before, *after, of_after);
    }
  }

  // Its content is bytes, mostly text.
  void AddMessage() {
    const Value* const message = Member(value_.payload, "message");
    if (message == nullptr || !message->IsObject()) return;
    const Value* const schema = FieldSchema(value_.schema, "message");
    for (const auto& member : message->GetObject()) {
      std::string bytes;
      const bool content = NameOf(member.name) == "content" && member.value.IsString() &&
                           absl::Base64Unescape(member.value.GetString(), &bytes);
      if (content && IsValidUtf8(bytes)) {
        std::string text = "  content=";
        AppendShownText(bytes, &text);
        line_.Add("", text);
      } else {
        AddField("", member.name, member.value, schema);
      }
    }
  }

  void AddFields(absl::string_view colour, const Value& row, const Value* schema) {
    if (!row.IsObject()) return;
    for (const auto& member : row.GetObject())
      if (!keys_.contains(NameOf(member.name))) AddField(colour, member.name, member.value, schema);
  }

  // A row of which the server has told only the identity has nulls for all else.
  bool IsWhole(const Value& before) const {
    if (key_.payload == nullptr || !key_.payload->IsObject()) return true;
    for (const auto& member : key_.payload->GetObject()) {
      const absl::string_view name(member.name.GetString(), member.name.GetStringLength());
      if (!member.value.IsNull() && Member(&before, name) == nullptr) return false;
    }
    return true;
  }

  void AddDifference(const Value& before, const Value& after, const Value* schema) {
    if (!before.IsObject() || !after.IsObject()) return;
    const bool whole = IsWhole(before);
    std::set<std::string> changed;
    for (const auto& member : after.GetObject()) {
      const auto old = before.FindMember(member.name);
      if (old == before.MemberEnd() || old->value == member.value) continue;
      if (!whole && old->value.IsNull()) continue;
      const absl::string_view name(member.name.GetString(), member.name.GetStringLength());
      std::string shown, shown_before;
      AppendShown(member.value, FieldSchema(schema, name), &shown);
      if (shown == "(unchanged)") continue;
      AppendShown(old->value, FieldSchema(schema, name), &shown_before);
      changed.insert(NameOf(member.name));
      line_.Add(kYellow, absl::StrCat("  ", NameOf(member.name), ": ", shown_before, " → ", shown));
    }
    for (const auto& member : after.GetObject()) {
      const std::string name = NameOf(member.name);
      if (!keys_.contains(name) && !changed.contains(name))
        AddField(kDim, member.name, member.value, schema);
    }
  }

  // What is no change event, such as an outbox event.
  void AddWhole() {
    if (!record_.value) return;
    if (value_.payload == nullptr) {
      line_.Add("", absl::StrCat("  ", Bytes(*record_.value)));
    } else if (value_.payload->IsObject()) {
      AddFields("", *value_.payload, value_.schema);
    } else {
      std::string text = "  ";
      AppendShown(*value_.payload, value_.schema, &text);
      line_.Add("", text);
    }
  }

  const event::Record& record_;
  const Shown key_, value_;
  CutLine& line_;
  const OperationName* operation_ = &kRecord;
  bool changes_ = false;
  std::set<std::string> keys_;  // names of fields that the key has shown
};

}  // namespace

void AppendEyesRecord(const event::Record& record, const EyesStyle& style, std::string* out) {
  CutLine line;
  EyesLine(record, &line).Write();
  absl::StrAppend(out, line.Take(style.colour, style.columns));
}

}  // namespace walduct::sink
