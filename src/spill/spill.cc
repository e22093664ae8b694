#include "spill/spill.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "spill/errors.h"

namespace walduct::spill {
namespace {

struct Header {
  uint32_t size = 0;
  uint32_t xid = 0;
  uint64_t number = 0;
};

// The fastest level that pays: rows of one table are much alike.
constexpr int kLevel = 1;
constexpr int kWindowLog = 17;
constexpr size_t kInputBytes = 64 << 10;

void Set(ZSTD_CCtx* compression, ZSTD_cParameter parameter, int value) {
  CHECK(ZSTD_isError(ZSTD_CCtx_setParameter(compression, parameter, value)) == 0);
}

}  // namespace

Spill::Spill(std::unique_ptr<Disk> disk, uint64_t max_bytes)
    : disk_(std::move(disk)), max_bytes_(max_bytes), compression_(ZSTD_createCCtx()) {
  CHECK(compression_ != nullptr);
  Set(compression_.get(), ZSTD_c_compressionLevel, kLevel);
  Set(compression_.get(), ZSTD_c_windowLog, kWindowLog);
  Set(compression_.get(), ZSTD_c_checksumFlag, 1);
  raw_.reserve(kFrameBytes);
  compressed_.resize(ZSTD_CStreamOutSize());
}

Spill::~Spill() { CHECK(files_ == 0); }

absl::StatusOr<std::unique_ptr<Spill>> Spill::Open(std::unique_ptr<Disk> disk, uint64_t max_bytes) {
  std::unique_ptr<Spill> spill(new Spill(std::move(disk), max_bytes));
  ASSIGN_OR_RETURN(const std::unique_ptr<DiskFile> file, spill->disk_->Create());
  RETURN_IF_ERROR(file->Append("walduct"));
  return spill;
}

absl::StatusOr<std::unique_ptr<MessageFile>> Spill::NewFile() {
  ASSIGN_OR_RETURN(std::unique_ptr<DiskFile> file, disk_->Create());
  return std::unique_ptr<MessageFile>(new MessageFile(*this, std::move(file)));
}

absl::Status Spill::Write(DiskFile& file, absl::string_view bytes, bool ends) {
  ZSTD_inBuffer in = {.src = bytes.data(), .size = bytes.size(), .pos = 0};
  bool done = false;
  while (!done) {
    ZSTD_outBuffer out = {.dst = compressed_.data(), .size = compressed_.size(), .pos = 0};
    const size_t left =
        ZSTD_compressStream2(compression_.get(), &out, &in, ends ? ZSTD_e_end : ZSTD_e_continue);
    CHECK(ZSTD_isError(left) == 0);
    done = ends ? left == 0 : in.pos == in.size;
    if (out.pos == 0) continue;
    if (max_bytes_ > 0 && bytes_ + out.pos > max_bytes_)
      return LimitError(bytes_, max_bytes_, files_);
    RETURN_IF_ERROR(file.Append({compressed_.data(), out.pos}));
    bytes_ += out.pos;
  }
  return absl::OkStatus();
}

MessageFile::MessageFile(Spill& spill, std::unique_ptr<DiskFile> file)
    : spill_(spill), file_(std::move(file)) {
  ++spill_.files_;
}

MessageFile::~MessageFile() {
  --spill_.files_;
  spill_.bytes_ -= bytes_;
}

absl::Status MessageFile::Write(absl::string_view bytes, bool ends) {
  const uint64_t before = spill_.bytes_;
  const absl::Status written = spill_.Write(*file_, bytes, ends);
  bytes_ += spill_.bytes_ - before;
  return written;
}

absl::Status MessageFile::Append(Xid xid, uint64_t number, absl::string_view head,
                                 absl::string_view rest) {
  const Header header = {.size = static_cast<uint32_t>(head.size() + rest.size()),
                         .xid = ToInteger(xid),
                         .number = number};
  std::string& raw = spill_.raw_;
  const size_t size = sizeof(header) + header.size;
  if (raw.size() + size > Spill::kFrameBytes) RETURN_IF_ERROR(EndFrame());
  raw.append(reinterpret_cast<const char*>(&header), sizeof(header));
  raw.append(head.data(), head.size());
  if (size <= Spill::kFrameBytes) {
    raw.append(rest.data(), rest.size());
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(Write(raw, /*ends=*/false));
  raw.clear();
  return Write(rest, /*ends=*/true);
}

absl::Status MessageFile::EndFrame() {
  if (spill_.raw_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(Write(spill_.raw_, /*ends=*/true));
  spill_.raw_.clear();
  return absl::OkStatus();
}

MessageReader::MessageReader(std::unique_ptr<MessageFile> file)
    : file_(std::move(file)), decompression_(ZSTD_createDCtx()), input_(kInputBytes, '\0') {
  CHECK(decompression_ != nullptr);
}

absl::StatusOr<bool> MessageReader::Next(Message& message) {
  if (left_.empty()) RETURN_IF_ERROR(LoadFrame());
  if (left_.empty()) return false;
  Header header;
  if (left_.size() < sizeof(header)) return UnreadableError("a message is cut off");
  std::memcpy(&header, left_.data(), sizeof(header));
  left_.remove_prefix(sizeof(header));
  if (left_.size() < header.size) return UnreadableError("a message is cut off");
  message = {
      .xid = Xid{header.xid}, .number = header.number, .bytes = left_.substr(0, header.size)};
  left_.remove_prefix(header.size);
  return true;
}

absl::Status MessageReader::Fill() {
  ASSIGN_OR_RETURN(const size_t size, file_->file_->Read(offset_, input_.data(), input_.size()));
  offset_ += size;
  unread_ = {.src = input_.data(), .size = size, .pos = 0};
  return absl::OkStatus();
}

// All of it, so that its checksum was compared. Nothing at the end of the file.
absl::Status MessageReader::LoadFrame() {
  if (frame_.size() != Spill::kFrameBytes) frame_ = std::string(Spill::kFrameBytes, '\0');
  ZSTD_outBuffer out = {.dst = frame_.data(), .size = frame_.size(), .pos = 0};
  bool begun = false;
  for (size_t left = 1; left > 0;) {
    if (unread_.pos == unread_.size) RETURN_IF_ERROR(Fill());
    if (unread_.size == 0 && !begun) return absl::OkStatus();
    if (unread_.size == 0) return UnreadableError("the file ends within a frame");
    begun = true;
    left = ZSTD_decompressStream(decompression_.get(), &out, &unread_);
    if (ZSTD_isError(left) != 0) return UnreadableError(ZSTD_getErrorName(left));
    if (left > 0 && out.pos == out.size) {
      frame_.resize(frame_.size() * 2);
      out.dst = frame_.data();
      out.size = frame_.size();
    }
  }
  left_ = {frame_.data(), out.pos};
  return absl::OkStatus();
}

}  // namespace walduct::spill
