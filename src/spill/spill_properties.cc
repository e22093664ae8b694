#include "spill/spill_properties.h"

namespace walduct::spill {
namespace {

using enum config::PropertyType;

constexpr absl::string_view kStreaming = "walduct.transaction.streaming";
constexpr absl::string_view kDirectory = "walduct.transaction.spill.directory";
constexpr absl::string_view kMaxBytes = "walduct.transaction.spill.max.bytes";

constexpr config::PropertyDefinition kRows[] = {
    {.name = kStreaming,
     .type = kBoolean,
     .default_value = "false",
     .doc = "Receive large transactions while they are in progress (PostgreSQL 15 and later) and "
            "keep them on disk here until they commit, instead of having the server keep them on "
            "its disk and send them afterwards. See docs/guarantees.md."},
    {.name = kDirectory,
     .doc = "Where they are kept, compressed, in files without a name. They are gone when the "
            "process is, also after a crash."},
    {.name = kMaxBytes,
     .type = kNonNegativeLong,
     .default_value = "10737418240",
     .doc = "Largest size of these files together; beyond it the connector stops with spill_full. "
            "0: as much as the disk has."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> SpillProperties() { return kRows; }

void CheckSpill(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text(kStreaming) != "true" || !properties.Text(kDirectory).empty()) return;
  findings->Error(kDirectory, "is required with walduct.transaction.streaming=true",
                  "name a directory on a disk with room for the largest transactions, for example "
                  "/var/lib/walduct/spill");
}

SpillOptions BuildSpill(const config::PropertySet& properties) {
  SpillOptions spill;
  spill.enabled = properties.Boolean(kStreaming);
  spill.directory = properties.Text(kDirectory);
  spill.max_bytes = static_cast<uint64_t>(properties.Integer(kMaxBytes));
  return spill;
}

}  // namespace walduct::spill
