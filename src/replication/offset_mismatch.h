// offset.mismatch.strategy: what becomes of a stored position that the slot does not stand at.
#pragma once

namespace walduct::replication {

enum class OffsetMismatch { kNoValidation, kTrustOffset, kTrustSlot, kTrustGreaterLsn };

}  // namespace walduct::replication
