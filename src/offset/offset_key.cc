#include "offset/offset_key.h"

#include "rapidjson/document.h"

namespace walduct::offset {
namespace {

bool IsText(const rapidjson::Value& value, absl::string_view text) {
  return value.IsString() && absl::string_view(value.GetString(), value.GetStringLength()) == text;
}

}  // namespace

bool KeyBelongsTo(absl::string_view key, const OffsetIdentity& identity) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(key.data(), key.size());
  if (document.HasParseError() || !document.IsArray() || document.Size() != 2) return false;
  if (!IsText(document[0], identity.connector_name)) return false;
  const rapidjson::Value& partition = document[1];
  const bool first = identity.slot == 1;
  if (!partition.IsObject() || partition.MemberCount() != (first ? 1 : 2)) return false;
  if (!first) {
    const auto slot = partition.FindMember("walduct_slot");
    if (slot == partition.MemberEnd() || !slot->value.IsInt() ||
        slot->value.GetInt() != identity.slot)
      return false;
  }
  const auto server = partition.FindMember("server");
  return server != partition.MemberEnd() && IsText(server->value, identity.topic_prefix);
}

}  // namespace walduct::offset
