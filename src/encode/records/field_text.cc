#include "encode/records/field_text.h"

#include <charconv>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "base/lsn.h"
#include "encode/readers/binary_readers.h"
#include "encode/readers/read_formats.h"
#include "encode/records/record_inputs.h"

namespace walduct::encode {
namespace {

using event::SnapshotMarker;

void AppendUnsigned(uint64_t number, std::string* out) {
  char digits[24];
  out->append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

// In kJson the quotes stand in a text within JSON.
absl::string_view SequenceQuote(bool json) { return json ? "\\\"" : "\""; }

void AppendSequenceLsn(const std::optional<Lsn>& lsn, bool json, std::string* out) {
  if (!lsn) {
    out->append("null");
    return;
  }
  const absl::string_view quote = SequenceQuote(json);
  out->append(quote.data(), quote.size());
  AppendUnsigned(lsn->value(), out);
  out->append(quote.data(), quote.size());
}

// Text of digits and other signs that need no escape.
void AppendPlain(absl::string_view text, const ValueContext& context) {
  const bool quoted = context.format != TextFormat::kStruct;
  if (quoted) context.out->push_back('"');
  context.out->append(text.data(), text.size());
  if (quoted) context.out->push_back('"');
}

void AppendId(uint64_t xid, Lsn lsn, const ValueContext& context) {
  const bool quoted = context.format != TextFormat::kStruct;
  if (quoted) context.out->push_back('"');
  AppendTransactionId(xid, lsn, context.out);
  if (quoted) context.out->push_back('"');
}

bool AppendKnown(bool known, uint64_t number, std::string* out) {
  if (known) AppendUnsigned(number, out);
  return known;
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

void AppendTransactionId(uint64_t xid, Lsn lsn, std::string* out) {
  AppendUnsigned(xid, out);
  out->push_back(':');
  AppendUnsigned(lsn.value(), out);
}

void AppendSequence(const event::ChangeEvent& change, std::string* out) {
  out->push_back('[');
  AppendSequenceLsn(change.last_commit_end, false, out);
  out->push_back(',');
  AppendSequenceLsn(change.lsn.valid() ? std::optional(change.lsn) : std::nullopt, false, out);
  out->push_back(']');
}

void AppendCollections(const event::TransactionBoundary& boundary, TextFormat format,
                       std::string* out) {
  const absl::Span<const FieldLayout> fields = kCollectionLayout.fields;
  const bool java = format == TextFormat::kStruct;
  out->push_back('[');
  const char* separator = "";
  for (const event::CollectionCount& collection : boundary.collections) {
    if (java) {
      absl::StrAppend(out, separator, "Struct{", fields[0].name, "=", collection.name, ",",
                      fields[1].name, "=", collection.events, "}");
    } else {
      absl::StrAppend(out, separator, "{\"", fields[0].name, "\":");
      AppendJsonString(collection.name, out);
      absl::StrAppend(out, ",\"", fields[1].name, "\":", collection.events, "}");
    }
    separator = java ? ", " : ",";
  }
  out->push_back(']');
}

event::ConnectType MessageContentType(const ValueOptions& values) {
  return values.binary == BinaryMode::kBytes ? event::ConnectType::kBytes
                                             : event::ConnectType::kString;
}

void AppendMessageContent(const ValueOptions& values, absl::string_view content,
                          ValueContext* context) {
  const auto form = static_cast<BytesForm>(values.binary);  // the same enumerators
  WithTextWriter(*context, [&](auto* out) { WriteBytes(content, form, out); });
}

absl::string_view RecordInputs::LsnDigits() const {
  const Lsn lsn = emission_->change->lsn;
  if (!lsn.valid()) return {};
  if (lsn != printed_lsn_) {
    printed_lsn_ = lsn;
    lsn_size_ = static_cast<size_t>(
        std::to_chars(lsn_digits_, lsn_digits_ + sizeof(lsn_digits_), lsn.value()).ptr -
        lsn_digits_);
  }
  return {lsn_digits_, lsn_size_};
}

const InstantDigits& RecordInputs::ClockDigits() const {
  if (clock_digits_.instant() != now_nanos_) clock_digits_.Set(now_nanos_);
  return clock_digits_;
}

void RecordInputs::AppendSequenceCommit(ValueContext* context) const {
  AppendSequenceLsn(emission_->change->last_commit_end, context->format == TextFormat::kJson,
                    context->out);
}

void RecordInputs::AppendSequenceChange(ValueContext* context) const {
  const absl::string_view digits = LsnDigits();
  const absl::string_view quote =
      digits.empty() ? "" : SequenceQuote(context->format == TextFormat::kJson);
  context->out->append(quote.data(), quote.size());
  context->out->append(digits.empty() ? "null" : digits.data(), digits.empty() ? 4 : digits.size());
  context->out->append(quote.data(), quote.size());
}

bool RecordInputs::AppendField(InputField field, ValueContext* context) const {
  if (field >= InputField::kBoundaryId) return AppendBoundaryField(field, context);
  if (IsOfTransaction(field)) return AppendTransactionField(field, context);
  std::string* const out = context->out;
  switch (field) {
    case InputField::kClockMillis:
      ClockDigits().AppendWithoutLast(6, out);
      return true;
    case InputField::kClockMicros:
      ClockDigits().AppendWithoutLast(3, out);
      return true;
    case InputField::kClockNanos:
      ClockDigits().AppendWithoutLast(0, out);
      return true;
    case InputField::kLsn: {
      const absl::string_view digits = LsnDigits();
      out->append(digits.data(), digits.size());
      return !digits.empty();
    }
    case InputField::kSequence: {
      std::string& text = context->scratch->element;
      text.clear();
      AppendSequence(*emission_->change, &text);
      AppendText(text, context);
      return true;
    }
    case InputField::kBlockId:
      AppendId(emission_->change->xid.value_or(0), emission_->change->lsn, *context);
      return true;
    case InputField::kTotalOrder:
      return AppendKnown(true, emission_->order.total, out);
    case InputField::kCollectionOrder:
      return AppendKnown(true, emission_->order.in_collection, out);
    case InputField::kMessagePrefix:
      AppendText(emission_->change->message->prefix, context);
      return true;
    case InputField::kMessageContent:
      AppendMessageContent(values_, emission_->change->message->content, context);
      return true;
    default:
      return false;
  }
}

bool RecordInputs::AppendTransactionField(InputField field, ValueContext* context) const {
  const event::ChangeEvent& change = *emission_->change;
  switch (field) {
    case InputField::kSourceMillis:
      source_digits_.AppendWithoutLast(3, context->out);
      return true;
    case InputField::kSourceMicros:
      source_digits_.AppendWithoutLast(0, context->out);
      return true;
    case InputField::kSourceNanos:
      // The product could overflow, three zeroes cannot.
      source_digits_.AppendWithoutLast(0, context->out);
      if (change.source_time_us != 0) context->out->append("000");
      return true;
    case InputField::kSnapshot:
      if (change.snapshot == SnapshotMarker::kFalse) return false;
      AppendPlain(SnapshotMarkerText(change.snapshot), *context);
      return true;
    case InputField::kTransactionId:
      return AppendKnown(change.xid.has_value(), change.xid.value_or(0), context->out);
    case InputField::kOrigin:
      if (change.origin.empty()) return false;
      AppendText(change.origin, context);
      return true;
    case InputField::kOriginLsn:
      return AppendKnown(change.origin_lsn.valid(), change.origin_lsn.value(), context->out);
    default:
      return false;
  }
}

bool RecordInputs::AppendBoundaryField(InputField field, ValueContext* context) const {
  const event::TransactionBoundary& boundary = *emission_->boundary;
  switch (field) {
    case InputField::kBoundaryId:
      AppendId(boundary.xid, boundary.lsn, *context);
      break;
    case InputField::kBoundaryEvents:
      absl::StrAppend(context->out, boundary.events);
      break;
    case InputField::kBoundaryCollections:
      AppendCollections(boundary, context->format, context->out);
      break;
    default:
      InstantDigits(boundary.commit_time_us).AppendWithoutLast(3, context->out);
      break;
  }
  return true;
}

}  // namespace walduct::encode
