#include "sink/message_id.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace walduct::sink {
namespace {

// FNV-1a: the same on every machine and in every version.
uint64_t HashOf(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string IdentityOf(const config::PropertySet& properties) {
  return absl::StrFormat("%016x", HashOf(absl::StrCat(properties.Text("database.hostname"), "\n",
                                                      properties.Text("database.port"), "\n",
                                                      properties.Text("database.dbname"), "\n",
                                                      properties.Text("topic.prefix"))));
}

std::string MessageId(absl::string_view identity, const event::RecordId& id) {
  if (id.row.given())
    return absl::StrCat(identity, ":", absl::Hex(id.row.high, absl::kZeroPad16),
                        absl::Hex(id.row.low, absl::kZeroPad16), ":", id.part);
  if (!id.exact()) return "";
  const auto with = [&](const auto&... place) {
    return absl::StrCat(identity, ":", absl::Hex(id.lsn >> 32), "/", absl::Hex(id.lsn & 0xFFFFFFFF),
                        ":", place...);
  };
  switch (id.of) {
    case event::RecordId::Of::kBegin:
      return with("begin");
    case event::RecordId::Of::kEnd:
      return with("end");
    default:
      return id.part == 0 ? with(id.number) : with(id.number, ".", id.part);
  }
}

}  // namespace walduct::sink
