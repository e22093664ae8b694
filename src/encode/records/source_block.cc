#include "encode/records/source_block.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "base/integer.h"
#include "base/json_text.h"
#include "encode/schema/envelope_schema.h"

namespace walduct::encode {
namespace {

using event::ChangeEvent;
using event::SnapshotMarker;

constexpr SnapshotMarker kAllMarkers[] = {SnapshotMarker::kFalse,
                                          SnapshotMarker::kTrue,
                                          SnapshotMarker::kFirst,
                                          SnapshotMarker::kFirstInDataCollection,
                                          SnapshotMarker::kLastInDataCollection,
                                          SnapshotMarker::kLast,
                                          SnapshotMarker::kIncremental};

// Streaming leaves the field unset; "false" is its default.
absl::string_view MarkerText(SnapshotMarker marker) {
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

std::string Quoted(absl::string_view text) {
  std::string quoted;
  AppendJsonString(text, &quoted);
  return quoted;
}

std::string JsonMarker(SnapshotMarker marker, bool replace_null) {
  if (marker != SnapshotMarker::kFalse) return Quoted(MarkerText(marker));
  return replace_null ? "\"false\"" : "null";
}

void AppendUnsigned(uint64_t number, std::string* out) {
  char buffer[24];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
}

// Microseconds as nanoseconds; the product could overflow, three zeroes cannot.
void AppendNanos(int64_t micros, const InstantDigits& time, std::string* out) {
  time.AppendWithoutLast(0, out);
  if (micros != 0) out->append("000");
}

void AppendSequenceLsn(std::optional<Lsn> lsn, absl::string_view quote, std::string* out) {
  if (!lsn) {
    out->append("null");
    return;
  }
  out->append(quote.data(), quote.size());
  AppendUnsigned(lsn->value(), out);
  out->append(quote.data(), quote.size());
}

// ["last commit","lsn"] with the quote sign of the place it stands in.
void AppendSequence(const ChangeEvent& change, absl::string_view quote, std::string* out) {
  AppendSequenceLsn(change.last_commit_end, quote, out);
  out->push_back(',');
  AppendSequenceLsn(change.lsn.valid() ? std::optional(change.lsn) : std::nullopt, quote, out);
}

void AppendOrNull(bool known, uint64_t number, std::string* out) {
  if (known) {
    AppendUnsigned(number, out);
  } else {
    out->append("null");
  }
}

}  // namespace

absl::string_view SnapshotMarkerText(SnapshotMarker marker) { return MarkerText(marker); }

void AppendSequenceText(const ChangeEvent& change, std::string* out) {
  out->push_back('[');
  AppendSequence(change, "\"", out);
  out->push_back(']');
}

InstantDigits::InstantDigits(int64_t instant) : instant_(instant) {
  size_ =
      static_cast<size_t>(std::to_chars(digits_, digits_ + sizeof(digits_), instant).ptr - digits_);
}

void InstantDigits::AppendWithoutLast(size_t digits, std::string* out) const {
  if (digits == 0 || (instant_ > 0 && size_ > digits)) {
    out->append(digits_, size_ - digits);
    return;
  }
  int64_t divisor = 1;
  for (size_t i = 0; i < digits; ++i) divisor *= 10;
  absl::StrAppend(out, instant_ / divisor - (instant_ % divisor < 0 ? 1 : 0));
}

SourceBlock::SourceBlock(const config::EncodeOptions& options) {
  const size_t json = Index(TextFormat::kJson);
  const size_t java = Index(TextFormat::kStruct);
  head_[json] = absl::StrCat("{\"version\":", Quoted(kSourceVersion),
                             ",\"connector\":", Quoted(kConnectorType),
                             ",\"name\":", Quoted(options.topic_prefix), ",\"ts_ms\":");
  head_[java] = absl::StrCat("Struct{version=", kSourceVersion, ",connector=", kConnectorType,
                             ",name=", options.topic_prefix, ",ts_ms=");
  for (const SnapshotMarker marker : kAllMarkers) {
    Texts& from = from_marker_[static_cast<size_t>(marker)];
    from[json] =
        absl::StrCat(",\"snapshot\":", JsonMarker(marker, options.value.replace_null_with_default),
                     ",\"db\":", Quoted(options.database), ",\"sequence\":\"[");
    const bool unset = marker == SnapshotMarker::kFalse;
    from[java] = absl::StrCat(unset ? "" : ",snapshot=", MarkerText(marker),
                              ",db=", options.database, ",sequence=[");
  }
}

void SourceBlock::Append(const ChangeEvent& change, const Texts& table, TextFormat format,
                         std::string* out) {
  if (format != TextFormat::kStruct) {
    AppendJson(change, table[Index(format)], out);
    return;
  }
  out->append(head_[Index(format)]);
  InstantDigits(change.source_time_us).AppendWithoutLast(3, out);
  out->append(from_marker_[static_cast<size_t>(change.snapshot)][Index(format)]);
  AppendStruct(change, table[Index(format)], out);
}

bool SourceBlock::IsShared(const ChangeEvent& change) const {
  return !shared_.head.empty() && change.source_time_us == shared_.source_time_us &&
         change.xid == shared_.xid && change.last_commit_end == shared_.last_commit_end &&
         change.snapshot == shared_.snapshot;
}

void SourceBlock::Share(const ChangeEvent& change) {
  constexpr size_t kJson = static_cast<size_t>(TextFormat::kJson);
  const InstantDigits time(change.source_time_us);
  shared_.source_time_us = change.source_time_us;
  shared_.xid = change.xid;
  shared_.last_commit_end = change.last_commit_end;
  shared_.snapshot = change.snapshot;
  shared_.head = head_[kJson];
  time.AppendWithoutLast(3, &shared_.head);
  shared_.head += from_marker_[static_cast<size_t>(change.snapshot)][kJson];
  AppendSequenceLsn(change.last_commit_end, "\\\"", &shared_.head);
  shared_.head += ',';
  shared_.times = "]\",\"ts_us\":";
  time.AppendWithoutLast(0, &shared_.times);
  shared_.times += ",\"ts_ns\":";
  AppendNanos(change.source_time_us, time, &shared_.times);
  shared_.ids = ",\"txId\":";
  AppendOrNull(change.xid.has_value(), change.xid.value_or(0), &shared_.ids);
  shared_.ids += ",\"lsn\":";
}

void SourceBlock::AppendJson(const ChangeEvent& change, absl::string_view table, std::string* out) {
  if (!IsShared(change)) Share(change);
  char digits[24];
  const absl::string_view lsn(
      digits, static_cast<size_t>(
                  std::to_chars(digits, digits + sizeof(digits), change.lsn.value()).ptr - digits));
  const bool known = change.lsn.valid();
  out->append(shared_.head);
  absl::StrAppend(out, known ? "\\\"" : "", known ? lsn : "null", known ? "\\\"" : "",
                  shared_.times, table);
  absl::StrAppend(out, shared_.ids, known ? lsn : "null", ",\"xmin\":null,\"origin\":");
  if (change.origin.empty() && !change.origin_lsn.valid()) {
    out->append("null,\"origin_lsn\":null}");
    return;
  }
  if (change.origin.empty()) {
    out->append("null");
  } else {
    AppendJsonString(change.origin, out);
  }
  out->append(",\"origin_lsn\":");
  AppendOrNull(change.origin_lsn.valid(), change.origin_lsn.value(), out);
  out->push_back('}');
}

void SourceBlock::AppendStruct(const ChangeEvent& change, absl::string_view table,
                               std::string* out) const {
  AppendSequence(change, "\"", out);
  out->append("],ts_us=");
  const InstantDigits time(change.source_time_us);
  time.AppendWithoutLast(0, out);
  out->append(",ts_ns=");
  AppendNanos(change.source_time_us, time, out);
  out->append(table.data(), table.size());
  if (change.xid) absl::StrAppend(out, ",txId=", *change.xid);
  if (change.lsn.valid()) absl::StrAppend(out, ",lsn=", change.lsn.value());
  if (!change.origin.empty()) absl::StrAppend(out, ",origin=", change.origin);
  if (change.origin_lsn.valid()) absl::StrAppend(out, ",origin_lsn=", change.origin_lsn.value());
  out->push_back('}');
}

}  // namespace walduct::encode
