#include "recover/read/value_digest.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/hash/hash.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace walduct::recover {
namespace {

using Members = ValueDigest::Members;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

const char* SkipSpace(const char* at, const char* end) {
  while (at < end && IsSpace(*at)) ++at;
  return at;
}

// Behind the closing quote; null: there is none. begin: behind the opening one.
const char* SkipText(const char* const begin, const char* end) {
  constexpr ptrdiff_t kShort = 24;  // most are: a call costs more
  const char* at = begin;
  for (const char* const stop = begin + std::min(kShort, end - begin); at < stop; ++at) {
    if (*at == '"') return at + 1;
    if (*at == '\\') break;
  }
  while (true) {
    const void* const found = std::memchr(at, '"', static_cast<size_t>(end - at));
    if (found == nullptr) return nullptr;
    const char* const quote = static_cast<const char*>(found);
    const char* before = quote;
    while (before > begin && before[-1] == '\\') --before;
    if ((quote - before) % 2 == 0) return quote + 1;
    at = quote + 1;
  }
}

const char* SkipValue(const char* at, const char* end) {
  if (at >= end) return nullptr;
  if (*at == '"') return SkipText(at + 1, end);
  if (*at != '{' && *at != '[') {
    while (at < end && *at != ',' && *at != '}' && *at != ']' && !IsSpace(*at)) ++at;
    return at;
  }
  for (int depth = 0; at < end; ++at) {
    if (*at == '{' || *at == '[') ++depth;
    if ((*at == '}' || *at == ']') && --depth == 0) return at + 1;
    if (*at != '"') continue;
    at = SkipText(at + 1, end);
    if (at == nullptr) return nullptr;
    --at;
  }
  return nullptr;
}

absl::string_view FindIn(const Members& members, absl::string_view name) {
  for (const auto& [key, value] : members)
    if (key == name) return value;
  return {};
}

std::optional<uint32_t> XidIn(absl::string_view number) {
  uint64_t value = 0;
  return absl::SimpleAtoi(number, &value) ? std::optional(static_cast<uint32_t>(value))
                                          : std::nullopt;
}

// ExtractNewRecordState adds them, with its prefix.
bool TellsOfChange(absl::string_view name) { return absl::StartsWith(name, "__"); }

// The members of a JSON object as they stand there, in order. Returns what is behind it; null: it
// is none.
const char* MembersOf(absl::string_view object, Members* members) {
  members->clear();
  const char* const end = object.data() + object.size();
  const char* at = SkipSpace(object.data(), end);
  if (at >= end || *at++ != '{') return nullptr;
  at = SkipSpace(at, end);
  if (at < end && *at == '}') return at + 1;
  while (at < end && *at == '"') {
    const char* const name = at + 1;
    at = SkipText(name, end);
    if (at == nullptr) return nullptr;
    const absl::string_view key(name, static_cast<size_t>(at - name - 1));
    at = SkipSpace(at, end);
    if (at >= end || *at != ':') return nullptr;
    at = SkipSpace(at + 1, end);
    const char* const value = at;
    at = SkipValue(at, end);
    if (at == nullptr) return nullptr;
    members->emplace_back(key, absl::string_view(value, static_cast<size_t>(at - value)));
    at = SkipSpace(at, end);
    if (at < end && *at == '}') return at + 1;
    if (at >= end || *at != ',') return nullptr;
    at = SkipSpace(at + 1, end);
  }
  return nullptr;
}

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", text, "\""); }

}  // namespace

ValueDigest::ValueDigest(absl::string_view placeholder)
    : placeholder_(Quoted(placeholder)), base64_(Quoted(absl::Base64Escape(placeholder))) {}

bool ValueDigest::Read(absl::string_view value) {
  members_.clear();
  gone_ = truncated_ = false;
  unknown_ = 0;
  xid_ = source_ = {};
  if (!value.empty() && value.front() == '\0') return false;
  if (!ReadFramed(value) && !ReadPayload(value)) return true;
  const absl::string_view after = FindIn(payload_, "after");
  const absl::string_view op = FindIn(payload_, "op");
  if (after.empty() && op.empty()) {
    AddRow(payload_, /*flat=*/true);
    return true;
  }
  truncated_ = op == "\"t\"";
  gone_ = op == "\"d\"" || after.empty() || after == "null";
  source_ = FindIn(payload_, "source");
  if (gone_) return true;
  if (MembersOf(after, &row_) != nullptr)
    AddRow(row_, /*flat=*/false);
  else
    Add("", after);
  return true;
}

// Records of one topic have the same schema before their payload, as a rule: it is not looked
// through again.
bool ValueDigest::ReadFramed(absl::string_view value) {
  if (frame_.empty() || !absl::StartsWith(value, frame_)) return false;
  const char* const behind = MembersOf(value.substr(frame_.size()), &payload_);
  return behind != nullptr && behind + 1 == value.data() + value.size() && *behind == '}';
}

// False: it is no object, and has been read.
bool ValueDigest::ReadPayload(absl::string_view value) {
  bool object = MembersOf(value, &payload_) != nullptr;
  if (object && payload_.size() == 2 && payload_[0].first == "schema" &&
      payload_[1].first == "payload") {
    const absl::string_view payload = payload_[1].second;
    frame_.assign(value.data(), payload.data());
    value = payload;
    object = MembersOf(value, &payload_) != nullptr;
  }
  gone_ = value == "null";
  if (!object && !gone_) Add("", value);
  return object;
}

std::optional<uint32_t> ValueDigest::xid() const {
  if (!xid_.empty()) return XidIn(xid_);
  Members source;
  if (MembersOf(source_, &source) == nullptr) return std::nullopt;
  return XidIn(FindIn(source, "txId"));
}

void ValueDigest::AddRow(const Members& row, bool flat) {
  for (const auto& [name, value] : row) {
    if (!flat || !TellsOfChange(name)) {
      Add(name, value);
      continue;
    }
    if (name == "__deleted" && (value == "\"true\"" || value == "true")) gone_ = true;
    if (name == "__op" && value == "\"d\"") gone_ = true;
    if (name == "__op" && value == "\"t\"") truncated_ = true;
    if (name == "__txId" || name == "__source_txId") xid_ = value;
  }
}

void ValueDigest::Add(absl::string_view name, absl::string_view value) {
  if (value == "null") return;
  if (IsPlaceholder(value)) {
    const uint64_t next = bits_.size() < 64 ? uint64_t{1} << bits_.size() : 0;
    unknown_ |= bits_.try_emplace(name, next).first->second;
    return;
  }
  const auto found = bits_.empty() ? bits_.end() : bits_.find(name);
  members_.emplace_back(absl::HashOf(name, value), found == bits_.end() ? 0 : found->second);
}

// Also the only element of an array or a map of it.
bool ValueDigest::IsPlaceholder(absl::string_view value) const {
  if (value.size() < placeholder_.size() || value.size() > 3 * base64_.size() + 8) return false;
  absl::ConsumePrefix(&value, "[");
  absl::ConsumePrefix(&value, "{");
  return absl::StartsWith(value, placeholder_) || absl::StartsWith(value, base64_);
}

uint64_t ValueDigest::Of(uint64_t without) const {
  uint64_t sum = 0;
  for (const auto& [hash, bit] : members_)
    if (((without | unknown_) & bit) == 0) sum += hash;
  return sum;
}

}  // namespace walduct::recover
