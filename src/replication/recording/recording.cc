#include "replication/recording/recording.h"

#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/byte_reader.h"
#include "base/status_macros.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kSignature("PGCOPY\n\377\r\n\0", 11);
constexpr absl::string_view kNamed = "walduct recording ";
constexpr absl::string_view kVersion = "1";
constexpr uint16_t kFields = 2, kTrailer = 0xFFFF;

template <typename T>
void AppendNumber(T number, std::string* to) {
  for (int shift = 8 * (static_cast<int>(sizeof(T)) - 1); shift >= 0; shift -= 8)
    to->push_back(static_cast<char>(number >> shift));
}

// The header without its first line.
absl::StatusOr<std::string> ReadHeader(absl::string_view header) {
  if (header.empty()) return std::string();
  if (!absl::ConsumePrefix(&header, kNamed))
    return absl::InvalidArgumentError("a binary COPY, but no recording of a stream");
  const size_t line = header.find('\n');
  const absl::string_view version = header.substr(0, line);
  if (line == absl::string_view::npos || version != kVersion) {
    return absl::InvalidArgumentError(absl::StrCat("a recording of version '", version,
                                                   "', of which only ", kVersion, " is known"));
  }
  return std::string(header.substr(line + 1));
}

}  // namespace

std::string BeginRecording(const RecordingNames& names) {
  std::string header = absl::StrCat(kNamed, kVersion, "\n");
  for (const auto& [name, value] : names) absl::StrAppend(&header, name, "=", value, "\n");
  std::string recording(kSignature);
  AppendNumber(uint32_t{0}, &recording);
  AppendNumber(static_cast<uint32_t>(header.size()), &recording);
  return recording + header;
}

void AppendToRecording(Lsn lsn, absl::string_view payload, std::string* recording) {
  AppendNumber(kFields, recording);
  AppendNumber(static_cast<uint32_t>(sizeof(uint64_t)), recording);
  AppendNumber(lsn.value(), recording);
  AppendNumber(static_cast<uint32_t>(payload.size()), recording);
  recording->append(payload.data(), payload.size());
}

std::string EndOfRecording() {
  std::string end;
  AppendNumber(kTrailer, &end);
  return end;
}

absl::StatusOr<Recording> ReadRecording(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, kSignature))
    return absl::InvalidArgumentError("no recording: it begins with something else");
  ByteReader reader(bytes);
  reader.Bytes(kSignature.size() + sizeof(uint32_t));
  Recording recording;
  ASSIGN_OR_RETURN(recording.header, ReadHeader(reader.Bytes(reader.U32())));
  while (reader.ok()) {
    const uint16_t fields = reader.U16();
    if (fields == kTrailer && reader.ok()) return recording;
    const uint32_t lsn_size = reader.U32();
    if (reader.ok() && (fields != kFields || lsn_size != sizeof(uint64_t)))
      return absl::InvalidArgumentError("a binary COPY of something else than (pg_lsn, bytea)");
    const Lsn lsn(reader.U64());
    recording.messages.push_back({.lsn = lsn, .payload = reader.Bytes(reader.U32())});
  }
  return absl::InvalidArgumentError("the recording has no end: whoever wrote it was cut off");
}

}  // namespace walduct::replication
