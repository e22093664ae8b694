#include "transform/outbox/envelope_names.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;

// With its length, so that no two structures have one text.
void AppendText(absl::string_view text, std::string* out) {
  absl::StrAppend(out, text.size(), ":", text);
}

// All that makes two schemas different.
void AppendStructure(const ConnectSchema& schema, std::string* out) {
  absl::StrAppend(out, static_cast<int>(schema.type), schema.optional ? "?" : "!");
  if (schema.version) absl::StrAppend(out, *schema.version);
  AppendText(schema.name, out);
  AppendText(schema.doc, out);
  for (const auto& [name, value] : schema.parameters) {
    out->push_back('p');
    AppendText(name, out);
    AppendText(value, out);
  }
  if (schema.default_value) {
    out->push_back('d');
    const event::Scalar value = schema.default_value->value();
    absl::StrAppend(out, static_cast<int>(value.kind), ",", value.integer, ",",
                    std::bit_cast<uint64_t>(value.real));
    AppendText(value.text, out);
  }
  for (const event::ConnectField& field : schema.fields) {
    out->push_back('f');
    AppendText(field.name, out);
    AppendStructure(*field.schema, out);
  }
  if (schema.keys != nullptr) AppendStructure(*schema.keys, out);
  if (schema.items != nullptr) AppendStructure(*schema.items, out);
  out->push_back(';');
}

}  // namespace

std::string EnvelopeNames::First(const ConnectSchema* payload,
                                 const std::optional<std::string>& version,
                                 const std::string& own) {
  std::string kind;
  if (version) {
    kind = absl::StrCat("v", *version);
  } else if (payload != nullptr) {
    AppendStructure(*payload, &kind);
  }
  const MutexLock lock(mutex_);
  if (const auto known = names_.find(kind); known != names_.end()) return known->second;
  if (names_.size() >= kMost || bytes_ + kind.size() > kMostBytes) {
    names_.clear();
    bytes_ = 0;
  }
  bytes_ += kind.size();
  return names_.emplace(std::move(kind), own).first->second;
}

}  // namespace walduct::transform
