// offset.mismatch.strategy: what becomes of a stored position that the slot does not stand at.
#pragma once

namespace walduct::replication {

enum class OffsetMismatch { kNoValidation, kTrustOffset, kTrustSlot, kTrustGreaterLsn };

// A start goes on at a slot that stands beyond the stored position.
constexpr bool TrustsSlot(OffsetMismatch strategy) {
  return strategy == OffsetMismatch::kTrustSlot || strategy == OffsetMismatch::kTrustGreaterLsn;
}

}  // namespace walduct::replication
