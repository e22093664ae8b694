// ValuePlan: how the text of one column becomes a value of Kafka Connect's model. Chosen once per
// table version, the same for every format: `reads` names the reader (readers/), which hands the
// value to the format's writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace walduct::encode {

// The readers, one per kind of text and value. Text is what a session with DateStyle=ISO,
// IntervalStyle=postgres, bytea_output=hex and a UTF-8 client sends.
enum class Reads : uint8_t {
  // readers/scalar_readers.h
  kString,
  kSnapshotString,  // as kString in a snapshot and in keys, kAbsent elsewhere
  kNothing,         // always null, as Debezium publishes such columns
  kBoolean,
  kInt16,
  kInt32,
  kInt64,
  kOid,
  kFloat,
  kDouble,
  // readers/decimal_readers.h
  kDecimal,
  kVariableScaleDecimal,
  kDecimalDouble,
  kDecimalString,
  kMoney,
  kMoneyDouble,
  kMoneyString,
  // readers/binary_readers.h; ValuePlan::bytes_as says what the bytes are published as
  kBytea,
  kTextBytes,       // the text itself
  kGeometricBytes,  // box, circle, …: the text with its numbers as Java prints them
  kBit,
  kBits,
  // readers/time_readers.h
  kDate,
  kConnectDate,  // kConnect…: Connect's own Date, Time and Timestamp
  kIsoDate,      // kIso…: ISO 8601 texts
  kTimeMillis,
  kTimeMicros,
  kTimeNanos,
  kConnectTime,
  kIsoTime,
  kIsoTimeKept,  // 24:00 stays 24:00
  kZonedTime,
  kZonedTimeKept,
  kTimestampMillis,
  kTimestampMicros,
  kTimestampNanos,
  kConnectTimestamp,
  kIsoTimestamp,
  kZonedTimestamp,
  // readers/interval_readers.h
  kIntervalMicros,
  kIntervalExact,
  kIntervalString,
  kIntervalStringExact,
  // readers/spatial_readers.h, vector_readers.h, hstore_readers.h, array_reader.h
  kPoint,
  kGeometry,  // hexadecimal EWKB
  kVector,
  kHalfVector,
  kSparseVector,
  kHstoreJson,
  kHstoreMap,
  kArray,  // ValuePlan::element is set
  // readers/mask_readers.h; ValuePlan::mask is set
  kStars,
  kHash,
  kCutText,
  kCutBytea,
  kCutTextBytes,
  kCutGeometricBytes,
};
inline constexpr size_t kReaders = static_cast<size_t>(Reads::kCutGeometricBytes) + 1;

// What bytes are published as: themselves, or a text of them.
enum class BytesForm : uint8_t { kBytes, kBase64, kBase64UrlSafe, kHex };

struct ValueMask;

struct ValuePlan {
  Reads reads = Reads::kString;
  BytesForm bytes_as = BytesForm::kBytes;
  bool optional = true;                      // of an element: may be null
  bool finite_items = false;                 // array: null when an item is NaN or infinite
  bool no_nulls = false;                     // array: null when an item is NULL
  char delimiter = ',';                      // array
  int32_t scale = 0;                         // decimal; -1: as many digits as the value has
  int32_t precision = 6;                     // digits of a second's fraction
  std::shared_ptr<const ValuePlan> element;  // array
  std::shared_ptr<const ValueMask> mask;     // value_mask.h
};

}  // namespace walduct::encode
