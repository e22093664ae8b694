// The append functions of all types (see value_plan.h for their contract): PostgreSQL's text in,
// the value's bytes out. Text is what a session with DateStyle=ISO, IntervalStyle=postgres,
// bytea_output=hex and a UTF-8 client sends; anything else is kMalformed. Mapping: Debezium's data
// type tables for PostgreSQL.
#pragma once

#include "encode/values/value_plan.h"

namespace walduct::encode {

// Appends text as a string of the format: quoted and escaped for JSON, quoted for headers, bare for
// structs.
void AppendText(absl::string_view text, ValueContext* context);

// kNull, for columns that Debezium always publishes as null.
Outcome AppendNothing(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_scalar.cc
Outcome AppendString(absl::string_view text, const ValuePlan& plan, ValueContext* context);
// As AppendString in a snapshot and in keys, kAbsent elsewhere.
Outcome AppendSnapshotString(absl::string_view text, const ValuePlan& plan, ValueContext* context);
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
Outcome AppendDecimalDouble(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendDecimalString(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_money.cc
Outcome AppendMoney(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendMoneyDouble(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendMoneyString(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_binary.cc
Outcome AppendBytea(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendByteaUrlSafe(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendByteaHex(absl::string_view text, const ValuePlan& plan, ValueContext* context);
// The text itself, in one of the forms of bytes.
Outcome AppendTextBase64(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTextBase64UrlSafe(absl::string_view text, const ValuePlan& plan,
                                ValueContext* context);
Outcome AppendTextHex(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendBit(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendBits(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_time.cc
Outcome AppendDate(absl::string_view text, const ValuePlan& plan, ValueContext* context);
// Connect's own Date, Time and Timestamp.
Outcome AppendConnectDate(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendConnectTimeOfDay(absl::string_view text, const ValuePlan& plan,
                               ValueContext* context);
Outcome AppendConnectTimestamp(absl::string_view text, const ValuePlan& plan,
                               ValueContext* context);
Outcome AppendTimeMillis(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimeMicros(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimeNanos(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendZonedTime(absl::string_view text, const ValuePlan& plan, ValueContext* context);
// As AppendZonedTime, but 24:00 stays 24:00.
Outcome AppendZonedTimeKept(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimestampMillis(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimestampMicros(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendTimestampNanos(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendZonedTimestamp(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_iso_time.cc
Outcome AppendIsoDate(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendIsoTime(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendIsoTimeKept(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendIsoTimestamp(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_interval.cc
Outcome AppendIntervalMicros(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendIntervalExact(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendIntervalString(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendIntervalStringExact(absl::string_view text, const ValuePlan& plan,
                                  ValueContext* context);

// append_geometry.cc; geometry is hexadecimal EWKB
Outcome AppendPoint(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendGeometry(absl::string_view text, const ValuePlan& plan, ValueContext* context);
// box, circle, line, lseg, path and polygon with their numbers as Java prints them, in one of the
// forms of bytes.
Outcome AppendGeometricBase64(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendGeometricBase64UrlSafe(absl::string_view text, const ValuePlan& plan,
                                     ValueContext* context);
Outcome AppendGeometricHex(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_vector.cc
Outcome AppendVector(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendHalfVector(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendSparseVector(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_hstore.cc
Outcome AppendHstoreJson(absl::string_view text, const ValuePlan& plan, ValueContext* context);
Outcome AppendHstoreMap(absl::string_view text, const ValuePlan& plan, ValueContext* context);

// append_array.cc; plan.element is set
Outcome AppendArray(absl::string_view text, const ValuePlan& plan, ValueContext* context);

}  // namespace walduct::encode
