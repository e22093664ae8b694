#include "recover/read/value_digest.h"

#include <cstring>

#include "absl/hash/hash.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace walduct::recover {
namespace {

using Members = std::vector<std::pair<absl::string_view, absl::string_view>>;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

const char* SkipSpace(const char* at, const char* end) {
  while (at < end && IsSpace(*at)) ++at;
  return at;
}

// Behind the closing quote; null: there is none. at: behind the opening one.
const char* SkipText(const char* at, const char* end) {
  while (true) {
    const void* const found = std::memchr(at, '"', static_cast<size_t>(end - at));
    if (found == nullptr) return nullptr;
    const char* const quote = static_cast<const char*>(found);
    const char* before = quote;
    while (before > at && before[-1] == '\\') --before;
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

}  // namespace

bool MembersOf(absl::string_view object, Members* members) {
  members->clear();
  const char* const end = object.data() + object.size();
  const char* at = SkipSpace(object.data(), end);
  if (at >= end || *at++ != '{') return false;
  at = SkipSpace(at, end);
  if (at < end && *at == '}') return true;
  while (at < end && *at == '"') {
    const char* const name = at + 1;
    at = SkipText(name, end);
    if (at == nullptr) return false;
    const absl::string_view key(name, static_cast<size_t>(at - name - 1));
    at = SkipSpace(at, end);
    if (at >= end || *at != ':') return false;
    at = SkipSpace(at + 1, end);
    const char* const value = at;
    at = SkipValue(at, end);
    if (at == nullptr) return false;
    members->emplace_back(key, absl::string_view(value, static_cast<size_t>(at - value)));
    at = SkipSpace(at, end);
    if (at < end && *at == '}') return true;
    if (at >= end || *at != ',') return false;
    at = SkipSpace(at + 1, end);
  }
  return false;
}

absl::string_view PayloadOf(absl::string_view json) {
  Members members;
  if (!MembersOf(json, &members) || members.size() != 2 || members[0].first != "schema" ||
      members[1].first != "payload")
    return json;
  return members[1].second;
}

ValueDigest::ValueDigest(std::string placeholder)
    : placeholder_(std::move(placeholder)), base64_(absl::Base64Escape(placeholder_)) {}

bool ValueDigest::Read(absl::string_view value) {
  members_.clear();
  gone_ = truncated_ = false;
  unknown_ = 0;
  xid_.reset();
  if (!value.empty() && value.front() == '\0') return false;
  const absl::string_view payload = PayloadOf(value);
  if (payload == "null") {
    gone_ = true;
    return true;
  }
  Members members;
  if (!MembersOf(payload, &members)) {
    Add("", payload);
    return true;
  }
  const absl::string_view after = FindIn(members, "after");
  const absl::string_view op = FindIn(members, "op");
  if (after.empty() && op.empty()) {
    ReadRow(payload, /*flat=*/true);
    return true;
  }
  truncated_ = op == "\"t\"";
  gone_ = op == "\"d\"" || after.empty() || after == "null";
  Members source;
  if (MembersOf(FindIn(members, "source"), &source)) xid_ = XidIn(FindIn(source, "txId"));
  if (!gone_) ReadRow(after, /*flat=*/false);
  return true;
}

void ValueDigest::ReadRow(absl::string_view row, bool flat) {
  Members members;
  if (!MembersOf(row, &members)) {
    Add("", row);
    return;
  }
  for (const auto& [name, value] : members) {
    if (!flat || !TellsOfChange(name)) {
      Add(name, value);
      continue;
    }
    if (name == "__deleted" && (value == "\"true\"" || value == "true")) gone_ = true;
    if (name == "__op" && value == "\"d\"") gone_ = true;
    if (name == "__op" && value == "\"t\"") truncated_ = true;
    if (name == "__txId" || name == "__source_txId") xid_ = XidIn(value);
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
  return absl::ConsumePrefix(&value, "\"") &&
         (absl::StartsWith(value, placeholder_ + "\"") || absl::StartsWith(value, base64_ + "\""));
}

uint64_t ValueDigest::Of(uint64_t without) const {
  uint64_t sum = 0;
  for (const auto& [hash, bit] : members_)
    if (((without | unknown_) & bit) == 0) sum += hash;
  return sum;
}

}  // namespace walduct::recover
