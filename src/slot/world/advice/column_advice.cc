#include "slot/world/advice/column_advice.h"

#include "engine/configuration/options_of.h"
#include "slot/world/advice/key_advice.h"
#include "slot/world/capture/capture_record.h"
#include "slot/world/capture/column_entries.h"

namespace walduct::slot {

void WarnOfColumns(const engine::ConnectorOptions& config, postgres::Connection& connection,
                   postgres::Catalog& catalog, const std::vector<postgres::TableName>& captured,
                   const CaptureRecord* record, engine::WarnOnce* warn_once) {
  WarnOfKeys(connection, catalog, captured, engine::MessageKeysOf(config), warn_once);
  WarnOfColumnEntries(config, connection, record == nullptr ? FormerNames() : record->former,
                      warn_once);
}

}  // namespace walduct::slot
