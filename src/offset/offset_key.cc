#include "offset/offset_key.h"

#include "base/json.h"
#include "rapidjson/document.h"

namespace walduct::offset {

bool KeyBelongsTo(absl::string_view key, const OffsetIdentity& identity) {
  const rapidjson::Document document = json::Parse(key);
  if (document.HasParseError() || !document.IsArray() || document.Size() != 2) return false;
  if (!json::IsText(document[0], identity.connector_name)) return false;
  const rapidjson::Value& partition = document[1];
  const bool first = identity.slot == 1;
  if (!partition.IsObject() || partition.MemberCount() != (first ? 1 : 2)) return false;
  if (!first) {
    const rapidjson::Value* const slot = json::Find(partition, "walduct_slot");
    if (slot == nullptr || !slot->IsInt() || slot->GetInt() != identity.slot) return false;
  }
  const rapidjson::Value* const server = json::Find(partition, "server");
  return server != nullptr && json::IsText(*server, identity.topic_prefix);
}

}  // namespace walduct::offset
