// The constructors of all stages; chain.cc has the table from classes to them. Each expects a spec
// that passed the checks of config/transforms/transform_checks.h.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "config/options/transform_spec.h"
#include "transform/template/stage.h"

namespace walduct::transform {

using StagePtr = std::unique_ptr<const Stage>;

// field_stages.cc
StagePtr MakeInsertField(const config::TransformSpec& spec);
StagePtr MakeReplaceField(const config::TransformSpec& spec);
StagePtr MakeValueToKey(const config::TransformSpec& spec);
StagePtr MakeHoistField(const config::TransformSpec& spec);
StagePtr MakeExtractField(const config::TransformSpec& spec);
StagePtr MakeFlatten(const config::TransformSpec& spec);
StagePtr MakeSetSchemaMetadata(const config::TransformSpec& spec);

// value_stages.cc, timestamp_stage.cc
StagePtr MakeMaskField(const config::TransformSpec& spec);
StagePtr MakeCast(const config::TransformSpec& spec);
StagePtr MakeTimestampConverter(const config::TransformSpec& spec);

// header_stages.cc
StagePtr MakeInsertHeader(const config::TransformSpec& spec);
StagePtr MakeDropHeaders(const config::TransformSpec& spec);
StagePtr MakeHeaderFrom(const config::TransformSpec& spec);
StagePtr MakeExtractChangedRecordState(const config::TransformSpec& spec);

// header_to_value_stage.cc
StagePtr MakeHeaderToValue(const config::TransformSpec& spec);

// routing_stages.cc
StagePtr MakeRegexRouter(const config::TransformSpec& spec);
StagePtr MakeTimestampRouter(const config::TransformSpec& spec);
StagePtr MakeByLogicalTableRouter(const config::TransformSpec& spec);
StagePtr MakeFilter(const config::TransformSpec& spec);
StagePtr MakePass(const config::TransformSpec& spec);

// expression_stage.cc
StagePtr MakeFilterByExpression(const config::TransformSpec& spec);
StagePtr MakeContentBasedRouter(const config::TransformSpec& spec);

// partition_stage.cc, timezone_stage.cc
StagePtr MakePartitionRouting(const config::TransformSpec& spec);
StagePtr MakeTimezoneConverter(const config::TransformSpec& spec);

// vector_stage.cc, geometry_stages.cc
StagePtr MakeVectorToJson(const config::TransformSpec& spec);
StagePtr MakeGeometryFormat(const config::TransformSpec& spec);
StagePtr MakeSwapGeometry(const config::TransformSpec& spec);

// unwrap_stage.cc
StagePtr MakeExtractNewRecordState(const config::TransformSpec& spec);

// record_size_stage.cc, source_schema_stage.cc
StagePtr MakeEnforceRecordSize(const config::TransformSpec& spec);
StagePtr MakeExtractSchemaToNewRecord(const config::TransformSpec& spec);

// tracing_stage.cc
StagePtr MakeActivateTracingSpan(const config::TransformSpec& spec);

// message_stage.cc, outbox_router_stage.cc
StagePtr MakeDecodeMessageContent(const config::TransformSpec& spec);
StagePtr MakeEventRouter(const config::TransformSpec& spec);

}  // namespace walduct::transform
