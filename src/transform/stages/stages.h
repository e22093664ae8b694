// The constructors of all stages; chain.cc has the table from classes to them. Each expects a spec
// that passed the checks of config/transforms/transform_checks.h.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "config/options/transform_spec.h"
#include "transform/template/stage.h"

namespace walduct::transform {

using StagePtr = std::unique_ptr<const Stage>;

StagePtr MakeInsertField(const config::TransformSpec& spec);
StagePtr MakeReplaceField(const config::TransformSpec& spec);
StagePtr MakeValueToKey(const config::TransformSpec& spec);
StagePtr MakeHoistField(const config::TransformSpec& spec);
StagePtr MakeExtractField(const config::TransformSpec& spec);
StagePtr MakeFlatten(const config::TransformSpec& spec);
StagePtr MakeSetSchemaMetadata(const config::TransformSpec& spec);

StagePtr MakeMaskField(const config::TransformSpec& spec);
StagePtr MakeCast(const config::TransformSpec& spec);
StagePtr MakeTimestampConverter(const config::TransformSpec& spec);

StagePtr MakeInsertHeader(const config::TransformSpec& spec);
StagePtr MakeDropHeaders(const config::TransformSpec& spec);
StagePtr MakeHeaderFrom(const config::TransformSpec& spec);
StagePtr MakeExtractChangedRecordState(const config::TransformSpec& spec);

StagePtr MakeHeaderToValue(const config::TransformSpec& spec);

StagePtr MakeRegexRouter(const config::TransformSpec& spec);
StagePtr MakeTimestampRouter(const config::TransformSpec& spec);
StagePtr MakeByLogicalTableRouter(const config::TransformSpec& spec);
StagePtr MakeFilter(const config::TransformSpec& spec);
StagePtr MakePass(const config::TransformSpec& spec);

StagePtr MakeFilterByExpression(const config::TransformSpec& spec);
StagePtr MakeContentBasedRouter(const config::TransformSpec& spec);

StagePtr MakePartitionRouting(const config::TransformSpec& spec);
StagePtr MakeTimezoneConverter(const config::TransformSpec& spec);

StagePtr MakeVectorToJson(const config::TransformSpec& spec);
StagePtr MakeGeometryFormat(const config::TransformSpec& spec);
StagePtr MakeSwapGeometry(const config::TransformSpec& spec);

StagePtr MakeExtractNewRecordState(const config::TransformSpec& spec);

StagePtr MakeEnforceRecordSize(const config::TransformSpec& spec);
StagePtr MakeExtractSchemaToNewRecord(const config::TransformSpec& spec);

StagePtr MakeActivateTracingSpan(const config::TransformSpec& spec);

StagePtr MakeDecodeMessageContent(const config::TransformSpec& spec);
StagePtr MakeEventRouter(const config::TransformSpec& spec);

}  // namespace walduct::transform
