#include "sink/aws/fifo_ids.h"

#include <openssl/sha.h>

#include <algorithm>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "sink/message_id.h"

namespace walduct::sink {
namespace {

constexpr size_t kLongestId = 128;

std::string HashOf(absl::string_view text) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(hash), sizeof(hash)));
}

}  // namespace

std::string GroupOf(absl::string_view text) {
  const bool fits =
      !text.empty() && text.size() <= kLongestId &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return absl::ascii_isgraph(c); });
  return fits ? std::string(text) : HashOf(text);
}

DeduplicationIds::DeduplicationIds(std::string identity)
    : identity_(std::move(identity)), process_([] {
        std::random_device random;
        return absl::StrCat(absl::Hex((uint64_t{random()} << 32) | random(), absl::kZeroPad16));
      }()) {}

std::string DeduplicationIds::Of(const event::Record& record) const {
  const std::string id = MessageId(identity_, record.id);
  return HashOf(id.empty() ? absl::StrCat(identity_, ":", process_, ":", ++others_) : id);
}

}  // namespace walduct::sink
