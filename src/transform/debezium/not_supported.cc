// Transforms of Debezium that are known and not supported, and what to use instead.
#include "transform/options/transform_class.h"

namespace walduct::transform {

extern constinit const TransformClass kToLogicalTopicRouter = {
    .name = "io.debezium.transforms.ToLogicalTopicRouter",
    .refused =
        "is from Debezium 3.7; use io.debezium.transforms.ByLogicalTableRouter, with "
        "key.field.name=__dbz__sourceIdentifier for the same keys"};

extern constinit const TransformClass kTimescaleDb = {
    .name = "io.debezium.connector.postgresql.transforms.timescaledb.TimescaleDb",
    .refused =
        "queries the database for each record, which is not supported; use ByLogicalTableRouter "
        "with topic.regex=(.*)\\._timescaledb_internal\\..*"};

}  // namespace walduct::transform
