// MessageReader: ByteReader plus what a decoder needs to say where a message is broken. Private to
// the decoders.
//
// The first failure sticks: later reads yield zeroes and empty views. `field` names what is being
// read; it is looked at only when that fails, so that naming costs nothing on the way through.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/byte_reader.h"
#include "base/lsn.h"
#include "pgoutput/message_kind.h"

namespace walduct::pgoutput {

class MessageReader {
 public:
  MessageReader(MessageKind kind, absl::string_view payload)
      : reader_(payload), size_bytes_(payload.size()), kind_(kind) {
    if (U8("kind") != static_cast<uint8_t>(kind)) Fail("kind", "is of another message");
  }

  uint8_t U8(const char* field) { return Need(1, field) ? reader_.U8() : uint8_t{0}; }
  uint16_t U16(const char* field) { return Need(2, field) ? reader_.U16() : uint16_t{0}; }
  uint32_t U32(const char* field) { return Need(4, field) ? reader_.U32() : 0; }
  uint64_t U64(const char* field) { return Need(8, field) ? reader_.U64() : 0; }
  Lsn ReadLsn(const char* field) { return Lsn(U64(field)); }
  Oid ReadOid(const char* field) { return Oid{U32(field)}; }
  Xid ReadXid(const char* field) { return Xid{U32(field)}; }

  // Present inside a stream block only.
  std::optional<Xid> StreamXid(bool in_stream) {
    if (!in_stream) return std::nullopt;
    return ReadXid("xid");
  }

  absl::string_view Bytes(size_t size, const char* field) {
    return Need(size, field) ? reader_.Bytes(size) : absl::string_view();
  }
  absl::string_view CString(const char* field);

  // PostgreSQL's microseconds since 2000-01-01 as microseconds since 1970-01-01.
  int64_t TimeUs(const char* field);

  // Flags that the protocol reserves: the server's own receiver refuses any but 0.
  void ReservedFlags() {
    if (U8("flags") != 0) Fail("flags", "has bits of a newer protocol");
  }

  // problem completes the sentence "<field> at offset N <problem>".
  void Fail(const char* field, const char* problem,
            absl::StatusCode code = absl::StatusCode::kDataLoss);

  // For loops that must be fast: read on with a reader of one's own, which the compiler keeps in
  // registers, then give it back.
  ByteReader Lend() const { return reader_; }
  void ContinueFrom(const ByteReader& reader) { reader_ = reader; }

  size_t remaining() const { return reader_.remaining(); }
  bool ok() const { return problem_ == nullptr; }

  // OK when all was read and nothing failed.
  absl::Status Finish() {
    if (ok() && reader_.remaining() == 0) return absl::OkStatus();
    return Failure();
  }

 private:
  bool Need(size_t size, const char* field) {
    if (size <= reader_.remaining()) [[likely]] {
      return true;
    }
    Fail(field, "reaches past the end");
    return false;
  }
  absl::Status Failure();

  ByteReader reader_;
  size_t size_bytes_;
  MessageKind kind_;
  absl::StatusCode code_ = absl::StatusCode::kOk;
  const char* field_ = nullptr;
  const char* problem_ = nullptr;
  size_t offset_ = 0;
};

}  // namespace walduct::pgoutput
