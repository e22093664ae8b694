// ReadTable<Writer>: all readers, instantiated on one format's writer. Include it where a format is
// instantiated, once:
//   template struct walduct::encode::ReadTable<MyWriter>;
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "encode/formats/value_writer.h"
#include "encode/readers/array_reader.h"
#include "encode/readers/binary_readers.h"
#include "encode/readers/decimal_readers.h"
#include "encode/readers/hstore_readers.h"
#include "encode/readers/interval_readers.h"
#include "encode/readers/mask_readers.h"
#include "encode/readers/read_value.h"
#include "encode/readers/scalar_readers.h"
#include "encode/readers/spatial_readers.h"
#include "encode/readers/time_readers.h"
#include "encode/readers/vector_readers.h"

namespace walduct::encode {

template <typename W>
constexpr Reader<W> ReaderOf(Reads reads) {
  switch (reads) {
    // clang-format off
    case Reads::kString: return &ReadString<W>;
    case Reads::kSnapshotString: return &ReadSnapshotString<W>;
    case Reads::kNothing: return &ReadNothing<W>;
    case Reads::kBoolean: return &ReadBoolean<W>;
    case Reads::kInt16: return &ReadInteger<INT16_MIN, INT16_MAX, W>;
    case Reads::kInt32: return &ReadInteger<INT32_MIN, INT32_MAX, W>;
    case Reads::kInt64: return &ReadInteger<INT64_MIN, INT64_MAX, W>;
    case Reads::kOid: return &ReadInteger<0, UINT32_MAX, W>;
    case Reads::kFloat: return &ReadFloat<W>;
    case Reads::kDouble: return &ReadDouble<W>;
    case Reads::kDecimal: return &ReadDecimal<W>;
    case Reads::kVariableScaleDecimal: return &ReadVariableScaleDecimal<W>;
    case Reads::kDecimalDouble: return &ReadDecimalDouble<W>;
    case Reads::kDecimalString: return &ReadDecimalString<W>;
    case Reads::kMoney: return &ReadMoney<W>;
    case Reads::kMoneyDouble: return &ReadMoneyDouble<W>;
    case Reads::kMoneyString: return &ReadMoneyString<W>;
    case Reads::kBytea: return &ReadBytea<W>;
    case Reads::kTextBytes: return &ReadTextBytes<W>;
    case Reads::kGeometricBytes: return &ReadGeometricBytes<W>;
    case Reads::kBit: return &ReadBit<W>;
    case Reads::kBits: return &ReadBits<W>;
    case Reads::kDate: return &ReadDate<W>;
    case Reads::kConnectDate: return &ReadConnectDate<W>;
    case Reads::kIsoDate: return &ReadIsoDate<W>;
    case Reads::kTimeMillis: return &ReadTime<1, kMicrosPerMilli, W>;
    case Reads::kTimeMicros: return &ReadTime<1, 1, W>;
    case Reads::kTimeNanos: return &ReadTime<kNanosPerMicro, 1, W>;
    case Reads::kConnectTime: return &ReadConnectTime<W>;
    case Reads::kIsoTime: return &ReadIsoTime<false, W>;
    case Reads::kIsoTimeKept: return &ReadIsoTime<true, W>;
    case Reads::kZonedTime: return &ReadZonedTime<false, W>;
    case Reads::kZonedTimeKept: return &ReadZonedTime<true, W>;
    case Reads::kTimestampMillis: return &ReadTimestampMillis<W>;
    case Reads::kTimestampMicros: return &ReadTimestampMicros<W>;
    case Reads::kTimestampNanos: return &ReadTimestampNanos<W>;
    case Reads::kConnectTimestamp: return &ReadConnectTimestamp<W>;
    case Reads::kIsoTimestamp: return &ReadIsoTimestamp<W>;
    case Reads::kZonedTimestamp: return &ReadZonedTimestamp<W>;
    case Reads::kIntervalMicros: return &ReadIntervalNumber<false, W>;
    case Reads::kIntervalExact: return &ReadIntervalNumber<true, W>;
    case Reads::kIntervalString: return &ReadIntervalText<false, W>;
    case Reads::kIntervalStringExact: return &ReadIntervalText<true, W>;
    case Reads::kPoint: return &ReadPoint<W>;
    case Reads::kGeometry: return &ReadGeometry<W>;
    case Reads::kVector: return &ReadVector<W>;
    case Reads::kHalfVector: return &ReadHalfVector<W>;
    case Reads::kSparseVector: return &ReadSparseVector<W>;
    case Reads::kHstoreJson: return &ReadHstoreJson<W>;
    case Reads::kHstoreMap: return &ReadHstoreMap<W>;
    case Reads::kArray: return &ReadArray<W>;
    case Reads::kStars: return &ReadStars<W>;
    case Reads::kHash: return &ReadHash<W>;
    case Reads::kCutText: return &ReadCutText<W>;
    case Reads::kCutBytea: return &ReadCutBytea<W>;
    case Reads::kCutTextBytes: return &ReadCutTextBytes<W>;
    case Reads::kCutGeometricBytes: return &ReadCutGeometricBytes<W>;
      // clang-format on
  }
  return nullptr;
}

template <typename W, size_t... kIndex>
constexpr std::array<Reader<W>, kReaders> MakeReaders(std::index_sequence<kIndex...>) {
  static_assert(ReaderOf<W>(static_cast<Reads>(kReaders)) == nullptr, "kReaders is too small");
  return {ReaderOf<W>(static_cast<Reads>(kIndex))...};
}

template <typename W>
const std::array<Reader<W>, kReaders> ReadTable<W>::kReader =
    MakeReaders<W>(std::make_index_sequence<kReaders>());

}  // namespace walduct::encode
