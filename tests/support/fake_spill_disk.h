// FakeSpillDisk: a Disk in memory that can be full, fail and spoil what it keeps.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "spill/disk.h"
#include "spill/errors.h"

namespace walduct::test {

class FakeSpillDisk final : public spill::Disk {
 public:
  // Shared by its files; outlives them.
  struct State {
    size_t room = SIZE_MAX;      // bytes that may still be written
    bool writable = true;        // whether files can be made
    size_t spoiled = SIZE_MAX;   // the byte of each file that is read wrongly
    size_t readable = SIZE_MAX;  // bytes of each file that can be read: a file cut off
    bool read_fails = false;
    size_t files = 0, bytes = 0;  // now
  };
  explicit FakeSpillDisk(State* state) : state_(*state) {}

  absl::StatusOr<std::unique_ptr<spill::DiskFile>> Create() override {
    if (!state_.writable) return spill::UnwritableError("/spill", "Permission denied");
    return std::make_unique<File>(&state_);
  }

 private:
  class File final : public spill::DiskFile {
   public:
    explicit File(State* state) : state_(*state) { ++state_.files; }
    ~File() override {
      --state_.files;
      state_.bytes -= content_.size();
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    absl::Status Append(absl::string_view bytes) override {
      const size_t size = std::min(bytes.size(), state_.room);
      content_.append(bytes.data(), size);
      state_.room -= size;
      state_.bytes += size;
      if (size < bytes.size()) return spill::FullError("/spill", "No space left on device");
      return absl::OkStatus();
    }
    absl::StatusOr<size_t> Read(uint64_t offset, char* buffer, size_t size) override {
      if (state_.read_fails) return spill::UnreadableError("Input/output error");
      const size_t end = std::min(content_.size(), state_.readable);
      if (offset >= end) return size_t{0};
      size = std::min(size, end - offset);
      std::memcpy(buffer, content_.data() + offset, size);
      if (state_.spoiled >= offset && state_.spoiled < offset + size)
        buffer[state_.spoiled - offset] ^= 0x10;
      return size;
    }

   private:
    State& state_;
    std::string content_;
  };

  State& state_;
};

}  // namespace walduct::test
