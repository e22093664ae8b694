#include "engine/world/tail.h"

#include "engine/configuration/connector_options.h"
#include "gtest/gtest.h"
#include "incremental/options/incremental_options.h"

namespace walduct::engine {
namespace {

TEST(Tail, PrintsRecordsOnly) {
  ConnectorOptions config;
  config.incremental->notifies_sink = config.incremental->notifies_log = true;
  EXPECT_FALSE(TailConfig(config, {}).incremental->notifies());
}

}  // namespace
}  // namespace walduct::engine
