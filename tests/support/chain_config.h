// A chain of transforms from properties, as a connector's file would have them: every option with
// its default and checked.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "loader/load_connector.h"

namespace walduct::test {

using PropertyList = std::vector<std::pair<std::string, std::string>>;

inline config::TransformChainOptions ChainOf(const PropertyList& properties) {
  std::string path = std::filesystem::temp_directory_path() / "walduct_chain_XXXXXX";
  const int file = mkstemp(path.data());
  CHECK(file >= 0);
  close(file);
  std::ofstream(path) << "name=shop\ndatabase.hostname=db\ndatabase.user=cdc\n"
                         "database.dbname=shop\ntopic.prefix=srv\n";
  config::LoadRequest request;
  request.connector_path = path;
  request.overrides = properties;
  const loader::LoadResult result = loader::LoadConnector(request);
  std::filesystem::remove(path);
  CHECK(result.errors.empty());
  return result.options.chain;
}

// Events of an outbox table: keyed by the aggregate, the type in a header, the payload as it is.
inline PropertyList OutboxRouting() {
  return {{"transforms", "outbox"},
          {"transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter"},
          {"transforms.outbox.table.fields.additional.placement", "type:header:eventType"}};
}

}  // namespace walduct::test
