#include "snapshot/read_record.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "rapidjson/document.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace walduct::snapshot {
namespace {

using rapidjson::Value;
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

absl::Status Malformed() {
  return Error(absl::StatusCode::kInvalidArgument, "offset_malformed",
               "walduct_snapshot_read of the stored offset is not what walduct writes",
               "restore the offset from a backup, or remove it: the snapshot begins anew");
}

void Write(const std::string& text, Writer* out) {
  out->String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void WriteRange(const BlockRange& range, Writer* out) {
  out->StartArray();
  out->Uint(range.begin);
  if (range.end) out->Uint(*range.end);
  out->EndArray();
}

absl::StatusOr<BlockRange> RangeOf(const Value& value) {
  if (!value.IsArray() || value.Empty() || value.Size() > 2) return Malformed();
  for (const Value& block : value.GetArray()) {
    if (!block.IsUint()) return Malformed();
  }
  BlockRange range = {.begin = value[0].GetUint()};
  if (value.Size() == 2) range.end = value[1].GetUint();
  return range;
}

absl::StatusOr<ReadTable> TableOf(const Value& value) {
  const Value* const storage = json::FindString(value, "storage");
  const Value* const since = json::Find(value, "since");
  const Value* const read = json::FindArray(value, "read");
  if (storage == nullptr || since == nullptr || read == nullptr || !since->IsUint64())
    return Malformed();
  ReadTable table;
  table.storage = std::string(json::TextOf(*storage));
  table.since = since->GetUint64();
  for (const Value& entry : read->GetArray()) {
    ASSIGN_OR_RETURN(const BlockRange range, RangeOf(entry));
    AddRange(range, &table.ranges);
  }
  return table;
}

}  // namespace

std::string EncodeReadTables(const ReadTables& tables) {
  rapidjson::StringBuffer buffer;
  Writer out(buffer);
  out.StartObject();
  for (const auto& [name, table] : tables) {
    Write(name, &out);
    out.StartObject();
    out.Key("storage");
    Write(table.storage, &out);
    out.Key("since");
    out.Uint64(table.since);
    out.Key("read");
    out.StartArray();
    for (const BlockRange& range : table.ranges) WriteRange(range, &out);
    out.EndArray();
    out.EndObject();
  }
  out.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

absl::StatusOr<ReadTables> DecodeReadTables(absl::string_view json) {
  rapidjson::Document document = json::Parse(json);
  if (!document.HasParseError() && document.IsString()) {
    const std::string text(json::TextOf(document));
    document = json::Parse(text);
  }
  if (document.HasParseError() || !document.IsObject()) return Malformed();
  ReadTables tables;
  const Value& object = document;
  for (const auto& member : object.GetObject()) {
    ASSIGN_OR_RETURN(tables[std::string(json::TextOf(member.name))], TableOf(member.value));
  }
  return tables;
}

void AddRange(const BlockRange& range, std::vector<BlockRange>* ranges) {
  ranges->push_back(range);
  std::sort(ranges->begin(), ranges->end(),
            [](const BlockRange& a, const BlockRange& b) { return a.begin < b.begin; });
  std::vector<BlockRange> joined;
  for (const BlockRange& next : *ranges) {
    if (joined.empty() || (joined.back().end && *joined.back().end < next.begin)) {
      joined.push_back(next);
    } else if (joined.back().end) {
      joined.back().end = next.end ? std::max(joined.back().end, next.end) : std::nullopt;
    }
  }
  *ranges = std::move(joined);
}

std::vector<BlockRange> RangesLeft(const std::vector<BlockRange>& ranges) {
  std::vector<BlockRange> left;
  uint32_t from = 0;
  for (const BlockRange& range : ranges) {
    if (range.begin > from) left.push_back({.begin = from, .end = range.begin});
    if (!range.end) return left;
    from = *range.end;
  }
  left.push_back({.begin = from, .end = std::nullopt});
  return left;
}

void ReadRecord::OnRead(const std::string& name, const std::string& storage, uint64_t since,
                        const BlockRange& range) {
  read_.push_back({name, storage, since, range});
}

std::string ReadRecord::TextAt(size_t size) const {
  ReadTables tables = before_;
  for (size_t i = 0; i < std::min(size, read_.size()); ++i) {
    const Entry& entry = read_[i];
    const auto [table, is_new] = tables.try_emplace(entry.name);
    if (is_new) {
      table->second.storage = entry.storage;
      table->second.since = entry.since;
    }
    AddRange(entry.range, &table->second.ranges);
  }
  return EncodeReadTables(tables);
}

}  // namespace walduct::snapshot
