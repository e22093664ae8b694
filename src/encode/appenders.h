// The append functions of all types (see value_plan.h for their contract): PostgreSQL's text in, the value's bytes out. Text is
// what a session with DateStyle=ISO, IntervalStyle=postgres, bytea_output=hex and a UTF-8 client sends; anything else is
// kMalformed. Mapping: Debezium's data type tables for PostgreSQL.
#pragma once

#include "encode/value_plan.h"

namespace walduct::encode {

// Appends text as a string of the format: quoted and escaped for JSON, quoted for headers, bare for structs.
void AppendText(absl::string_view text, ValueContext* context);

// append_scalar.cc
Outcome AppendString(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendBoolean(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendInt16(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendInt32(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendInt64(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendOid(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendFloat4(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendFloat8(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_decimal.cc
Outcome AppendDecimal(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendVariableScaleDecimal(absl::string_view text, const ValuePlan& plan,
                                   ValueContext* context);
Outcome AppendMoney(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_binary.cc
Outcome AppendBytea(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendBit(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendBits(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_time.cc
Outcome AppendDate(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimeMillis(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimeMicros(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendZonedTime(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimestampMillis(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimestampMicros(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendZonedTimestamp(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendIntervalMicros(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_hstore.cc
Outcome AppendHstoreJson(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_array.cc; plan.element is set
Outcome AppendArray(absl::string_view text, const ValuePlan& plan, ValueContext* context);

}  // namespace walduct::encode
