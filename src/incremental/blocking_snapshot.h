// What a signal asks for that the stream waits for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "incremental/signals/table_name.h"

namespace walduct::incremental {

// Tables that are read whole while the stream stands still.
struct BlockingSnapshot {
  std::string id;                                 // of the signal
  std::vector<TableId> tables;                    // in order
  std::map<std::string, std::string> statements;  // "schema.table" → SELECT instead of the table's
};

}  // namespace walduct::incremental
