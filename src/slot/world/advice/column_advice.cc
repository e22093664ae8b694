#include "slot/world/advice/column_advice.h"

#include "engine/configuration/options_of.h"
#include "slot/world/advice/key_advice.h"
#include "slot/world/capture/capture_record.h"
#include "slot/world/capture/column_entries.h"
#include "slot/world/world.h"

namespace walduct::slot {

void WarnOfColumns(const SourceOptions& options, postgres::Connection& connection,
                   postgres::Catalog& catalog, const std::vector<postgres::TableName>& captured) {
  WarnOfKeys(connection, catalog, captured, engine::MessageKeysOf(*options.config),
             options.warn_once);
  WarnOfColumnEntries(*options.config, connection,
                      options.capture == nullptr ? FormerNames() : options.capture->former,
                      options.warn_once);
}

}  // namespace walduct::slot
