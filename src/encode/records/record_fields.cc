#include "encode/records/record_fields.h"

#include "encode/options/value_options.h"

namespace walduct::encode {
namespace {

using event::ChangeEvent;
using event::SnapshotMarker;

void AppendQuoted(absl::string_view digits, bool json, OutBuffer* out) {
  const absl::string_view quote = json ? "\\\"" : "\"";
  char* const to = out->Room(digits.size() + 2 * quote.size());
  out->EndAt(PutBytes(quote, PutBytes(digits, PutBytes(quote, to))));
}

char* PutLsn(const std::optional<Lsn>& lsn, char* to) {
  constexpr size_t kDigits = 20;
  if (!lsn) return to + absl::string_view("null").copy(to, 4);
  *to++ = '"';
  to = std::to_chars(to, to + kDigits, lsn->value()).ptr;
  *to++ = '"';
  return to;
}

}  // namespace

absl::string_view SnapshotMarkerText(SnapshotMarker marker) {
  switch (marker) {
    case SnapshotMarker::kFalse:
      return "";
    case SnapshotMarker::kTrue:
      return "true";
    case SnapshotMarker::kFirst:
      return "first";
    case SnapshotMarker::kFirstInDataCollection:
      return "first_in_data_collection";
    case SnapshotMarker::kLastInDataCollection:
      return "last_in_data_collection";
    case SnapshotMarker::kLast:
      return "last";
    case SnapshotMarker::kIncremental:
      return "incremental";
  }
  return "";
}

event::ConnectType MessageContentType(const ValueOptions& values) {
  return values.binary == BinaryMode::kBytes ? event::ConnectType::kBytes
                                             : event::ConnectType::kString;
}

RecordFields::RecordFields(const ValueOptions& values)
    : message_form_(static_cast<BytesForm>(values.binary)) {}  // the same enumerators

void RecordFields::Begin(const event::Emission& emission, int64_t now_nanos) {
  emission_ = &emission;
  now_nanos_ = now_nanos;
  if (emission.change != nullptr && !IsSameTransaction(*emission.change))
    BeginTransaction(*emission.change);
}

bool RecordFields::IsSameOrigin(const ChangeEvent& change) const {
  return change.snapshot == known_.snapshot && change.origin_lsn == known_.origin_lsn &&
         change.origin.size() == known_.origin.size() &&
         (change.origin.empty() || change.origin == known_.origin);
}

bool RecordFields::IsSameTransaction(const ChangeEvent& change) const {
  return change.source_time_us == known_.source_time_us && change.xid == known_.xid &&
         change.last_commit_end == known_.last_commit_end && IsSameOrigin(change) &&
         transaction_ != 0;
}

void RecordFields::BeginTransaction(const ChangeEvent& change) {
  ++transaction_;
  if (origin_ == 0 || !IsSameOrigin(change)) ++origin_;
  known_.source_time_us = change.source_time_us;
  known_.xid = change.xid;
  known_.last_commit_end = change.last_commit_end;
  known_.snapshot = change.snapshot;
  known_.origin.assign(change.origin.data(), change.origin.size());
  known_.origin_lsn = change.origin_lsn;
  source_digits_.Set(change.source_time_us);
}

absl::string_view RecordFields::LsnDigits() const {
  const Lsn lsn = emission_->change->lsn;
  if (!lsn.valid()) return {};
  if (lsn != printed_lsn_) {
    printed_lsn_ = lsn;
    lsn_size_ = static_cast<size_t>(PutInteger(lsn.value(), lsn_digits_) - lsn_digits_);
  }
  return {lsn_digits_, lsn_size_};
}

const InstantDigits& RecordFields::ClockDigits() const {
  if (clock_digits_.instant() != now_nanos_) clock_digits_.Set(now_nanos_);
  return clock_digits_;
}

char* RecordFields::PutSequence(char* to) const {
  const ChangeEvent& change = *emission_->change;
  *to++ = '[';
  to = PutLsn(change.last_commit_end, to);
  *to++ = ',';
  to = PutLsn(change.lsn.valid() ? std::optional(change.lsn) : std::nullopt, to);
  *to++ = ']';
  return to;
}

void RecordFields::AppendSequenceCommit(bool json, OutBuffer* out) const {
  const std::optional<Lsn>& commit = emission_->change->last_commit_end;
  if (!commit) return out->append("null");
  char digits[24];
  const char* end = std::to_chars(digits, digits + sizeof(digits), commit->value()).ptr;
  AppendQuoted({digits, static_cast<size_t>(end - digits)}, json, out);
}

void RecordFields::AppendSequenceChange(bool json, OutBuffer* out) const {
  const absl::string_view digits = LsnDigits();
  if (digits.empty()) return out->append("null");
  AppendQuoted(digits, json, out);
}

}  // namespace walduct::encode
