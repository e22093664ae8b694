// Transforms of Debezium and Confluent that are known and not supported, and what to use instead.
#include "transform/options/transform_class.h"

namespace walduct::transform {

extern constinit const TransformClass kToLogicalTopicRouter = {
    .name = "io.debezium.transforms.ToLogicalTopicRouter",
    .refused =
        "is from Debezium 3.7; use io.debezium.transforms.ByLogicalTableRouter, with "
        "key.field.name=__dbz__sourceIdentifier for the same keys"};

extern constinit const TransformClass kConfluentFilter = {
    .name = "io.confluent.connect.transforms.Filter",
    .has_targets = true,
    .refused =
        "is Confluent's own; use io.debezium.transforms.Filter with language=jsr223.groovy: "
        "filter.condition=$[?(@.op == 'd')] is condition=value.op == 'd', and with "
        "filter.type=exclude condition=!(value.op == 'd')"};

extern constinit const TransformClass kConfluentExtractTopic = {
    .name = "io.confluent.connect.transforms.ExtractTopic",
    .has_targets = true,
    .refused =
        "is Confluent's own; use io.debezium.transforms.ContentBasedRouter with "
        "language=jsr223.groovy: field=a of a value is topic.expression=value.a, of a key "
        "topic.expression=key.a"};

}  // namespace walduct::transform
