#include "compare/record_fields.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json.h"

namespace walduct::compare {
namespace {

constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;

// Called by the parser, whose stream says where a value begins and ends.
class Leaves : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Leaves> {
 public:
  Leaves(absl::string_view json, const rapidjson::MemoryStream& stream, std::vector<Field>* fields)
      : json_(json), stream_(stream), fields_(*fields) {}

  bool Key(const char* name, rapidjson::SizeType size, bool) {
    if (opaque_ > 0) return true;
    path_.resize(ends_.back());
    if (!path_.empty()) path_ += '.';
    path_.append(name, size);
    begin_ = stream_.Tell();
    return true;
  }
  bool Default() {
    Leaf(stream_.Tell());
    return true;
  }
  bool StartObject() {
    if (opaque_ > 0 || path_ == "schema") return Open();
    if (ends_.empty() && stream_.Tell() > 1) return false;
    ends_.push_back(path_.size());
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    if (opaque_ > 0) return Close();
    path_.resize(ends_.back());
    ends_.pop_back();
    return true;
  }
  bool StartArray() { return !ends_.empty() && Open(); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

 private:
  bool Open() {
    ++opaque_;
    return true;
  }
  // The parser takes the bracket afterwards.
  bool Close() {
    --opaque_;
    Leaf(stream_.Tell() + 1);
    return true;
  }
  void Leaf(size_t end) {
    if (opaque_ > 0 || ends_.empty()) return;
    absl::string_view text = json_.substr(begin_, end - begin_);
    text = absl::StripLeadingAsciiWhitespace(text);
    absl::ConsumePrefix(&text, ":");
    fields_.push_back({path_, absl::StripAsciiWhitespace(text)});
  }

  const absl::string_view json_;
  const rapidjson::MemoryStream& stream_;
  std::vector<Field>& fields_;
  std::string path_;
  std::vector<size_t> ends_;  // of the paths of the objects that are open
  size_t begin_ = 0;          // of the value that comes
  int opaque_ = 0;            // brackets open inside a leaf
};

// Of {"schema":…,"payload":…}.
void Unwrap(std::vector<Field>* fields) {
  if (fields->empty() || fields->front().path != "schema") return;
  for (Field& field : *fields) {
    if (absl::StartsWith(field.path, "payload.")) field.path.erase(0, sizeof("payload"));
  }
}

}  // namespace

std::optional<std::vector<Field>> LeavesOf(absl::string_view json) {
  std::vector<Field> fields;
  rapidjson::MemoryStream stream(json.data(), json.size());
  Leaves leaves(json, stream, &fields);
  rapidjson::Reader reader;
  if (json.empty() || json.front() != '{' || reader.Parse<kFlags>(stream, leaves).IsError())
    return std::nullopt;
  Unwrap(&fields);
  return fields;
}

}  // namespace walduct::compare
