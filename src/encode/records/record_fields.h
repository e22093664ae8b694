// RecordFields: the values of one record that are not columns (InputField), for any format.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/integer.h"
#include "base/lsn.h"
#include "encode/formats/value_writer.h"
#include "encode/readers/binary_readers.h"
#include "encode/records/instant_digits.h"
#include "encode/schema/need.h"
#include "encode/schema/record_layout.h"
#include "encode/values/digits.h"
#include "event/connect_schema.h"
#include "event/emission.h"

namespace walduct::encode {

struct ValueOptions;

// source.snapshot; empty for kFalse, which leaves the field unset.
absl::string_view SnapshotMarkerText(event::SnapshotMarker marker);

// The content of a logical message, by binary.handling.mode.
event::ConnectType MessageContentType(const ValueOptions& values);

class RecordFields {
 public:
  explicit RecordFields(const ValueOptions& values);

  // emission: borrowed until the next call.
  void Begin(const event::Emission& emission, int64_t now_nanos);

  // Of the slot, for the records to come; absent: not known.
  void SetXmin(std::optional<uint64_t> xmin) { xmin_ = xmin; }

  // Another number whenever a field IsOfTransaction may have another value.
  uint64_t transaction() const { return transaction_; }
  // The same for a field IsOfOrigin: rare.
  uint64_t origin() const { return origin_; }

  // False: it is NULL, and nothing was written. out: a ValueWriter.
  template <typename Writer>
  bool Write(InputField field, Writer* out) const;

  // The two parts of kSequence, with the quotes that they have in a text: in JSON, escaped.
  void AppendSequenceCommit(bool json, OutBuffer* out) const;
  void AppendSequenceChange(bool json, OutBuffer* out) const;

 private:
  // What the changes of a transaction have in common.
  struct Transaction {
    int64_t source_time_us = 0;
    std::optional<uint64_t> xid;
    std::optional<Lsn> last_commit_end;
    event::SnapshotMarker snapshot = event::SnapshotMarker::kFalse;
    std::string origin;
    Lsn origin_lsn;
  };

  bool IsSameOrigin(const event::ChangeEvent& change) const;
  bool IsSameTransaction(const event::ChangeEvent& change) const;
  void BeginTransaction(const event::ChangeEvent& change);
  absl::string_view LsnDigits() const;
  const InstantDigits& ClockDigits() const;
  // Room for 48 characters; answers the end.
  char* PutSequence(char* to) const;

  template <typename Writer>
  bool WriteOfTransaction(InputField field, Writer* out) const;
  template <typename Writer>
  void WriteOfBoundary(InputField field, Writer* out) const;
  template <typename Writer>
  void WriteOfNotification(InputField field, Writer* out) const;
  template <typename Writer>
  void WriteDetails(Writer* out) const;
  template <typename Writer>
  void WriteCollections(Writer* out) const;
  template <typename Writer>
  static bool WriteNumber(bool known, uint64_t number, Writer* out) {
    if (known) out->Integer(static_cast<int64_t>(number));
    return known;
  }
  // "xid:lsn". The LSN is that of the record, so that the id differs from record to record: what
  // names the transaction is before the colon.
  template <typename Writer>
  static void WriteId(uint64_t xid, Lsn lsn, Writer* out) {
    constexpr size_t kDigits = 20;
    out->Ascii(2 * kDigits + 1, [=](char* to) {
      to = std::to_chars(to, to + kDigits, xid).ptr;
      *to++ = ':';
      return std::to_chars(to, to + kDigits, lsn.value()).ptr;
    });
  }
  template <typename Writer>
  static void WriteInstant(const InstantDigits& digits, size_t without, int64_t by, Writer* out) {
    const absl::string_view text = digits.WithoutLast(without);
    const int64_t value = FloorDivide(digits.instant(), by);
    text.empty() ? out->Integer(value) : out->IntegerText(text, value);
  }

  const BytesForm message_form_;
  const event::Emission* emission_ = nullptr;
  int64_t now_nanos_ = 0;
  std::optional<uint64_t> xmin_;
  uint64_t transaction_ = 0, origin_ = 0;
  Transaction known_;  // of transaction_
  InstantDigits source_digits_;
  // Printed when first asked for.
  mutable InstantDigits clock_digits_;
  mutable Lsn printed_lsn_;
  mutable size_t lsn_size_ = 0;
  mutable char lsn_digits_[kMostOfInteger];
};

template <typename Writer>
bool RecordFields::Write(InputField field, Writer* out) const {
  if (IsOfTransaction(field)) return WriteOfTransaction(field, out);
  switch (field) {
    case InputField::kClockMillis:
      WriteInstant(ClockDigits(), 6, 1'000'000, out);
      return true;
    case InputField::kClockMicros:
      WriteInstant(ClockDigits(), 3, 1000, out);
      return true;
    case InputField::kClockNanos:
      WriteInstant(ClockDigits(), 0, 1, out);
      return true;
    case InputField::kLsn: {
      // Debezium tells it in the sequence alone.
      if (emission_->change->snapshot == event::SnapshotMarker::kIncremental) return false;
      const absl::string_view digits = LsnDigits();
      if (digits.empty()) return false;
      out->IntegerText(digits, static_cast<int64_t>(printed_lsn_.value()));
      return true;
    }
    case InputField::kXmin:
      if (emission_->change->snapshot == event::SnapshotMarker::kIncremental) return false;
      return WriteNumber(xmin_.has_value(), xmin_.value_or(0), out);
    case InputField::kSequence: {
      char text[48];
      out->String({text, static_cast<size_t>(PutSequence(text) - text)});
      return true;
    }
    case InputField::kBlockId:
      WriteId(emission_->change->xid.value_or(0), emission_->change->lsn, out);
      return true;
    case InputField::kTotalOrder:
      return WriteNumber(true, emission_->order.total, out);
    case InputField::kCollectionOrder:
      return WriteNumber(true, emission_->order.in_collection, out);
    case InputField::kMessagePrefix:
      out->String(emission_->change->message->prefix);
      return true;
    case InputField::kMessageContent:
      WriteBytes(emission_->change->message->content, message_form_, out);
      return true;
    default:
      if (field >= InputField::kNotificationId) {
        WriteOfNotification(field, out);
      } else {
        WriteOfBoundary(field, out);
      }
      return true;
  }
}

template <typename Writer>
bool RecordFields::WriteOfTransaction(InputField field, Writer* out) const {
  const event::ChangeEvent& change = *emission_->change;
  switch (field) {
    case InputField::kSourceMillis:
      WriteInstant(source_digits_, 3, 1000, out);
      return true;
    case InputField::kSourceMicros:
      WriteInstant(source_digits_, 0, 1, out);
      return true;
    case InputField::kSourceNanos: {
      // The product could be beyond 64 bits, the digits are right in any case.
      char digits[32];
      size_t size = source_digits_.WithoutLast(0).copy(digits, sizeof(digits));
      if (change.source_time_us != 0) size += absl::string_view("000").copy(digits + size, 3);
      const auto nanos = static_cast<uint64_t>(change.source_time_us) * 1000;
      out->IntegerText({digits, size}, static_cast<int64_t>(nanos));
      return true;
    }
    case InputField::kSnapshot:
      if (change.snapshot == event::SnapshotMarker::kFalse) return false;
      out->String(SnapshotMarkerText(change.snapshot));
      return true;
    case InputField::kTransactionId:
      return WriteNumber(change.xid.has_value(), change.xid.value_or(0), out);
    case InputField::kOrigin:
      if (change.origin.empty()) return false;
      out->String(change.origin);
      return true;
    case InputField::kOriginLsn:
      return WriteNumber(change.origin_lsn.valid(), change.origin_lsn.value(), out);
    default:
      return false;
  }
}

template <typename Writer>
void RecordFields::WriteOfBoundary(InputField field, Writer* out) const {
  const event::TransactionBoundary& boundary = *emission_->boundary;
  switch (field) {
    case InputField::kBoundaryId:
      return WriteId(boundary.xid, boundary.lsn, out);
    case InputField::kBoundaryEvents:
      return out->Integer(static_cast<int64_t>(boundary.events));
    case InputField::kBoundaryCollections:
      return WriteCollections(out);
    default:
      return out->Integer(FloorDivide(boundary.commit_time_us, 1000));
  }
}

template <typename Writer>
void RecordFields::WriteOfNotification(InputField field, Writer* out) const {
  const event::Notification& notification = *emission_->notification;
  switch (field) {
    case InputField::kNotificationId:
      return out->String(notification.id);
    case InputField::kNotificationType:
      return out->String(notification.type);
    case InputField::kNotificationAggregate:
      return out->String(notification.aggregate);
    case InputField::kNotificationDetails:
      return WriteDetails(out);
    default:
      return out->Integer(notification.time_ms);
  }
}

template <typename Writer>
void RecordFields::WriteDetails(Writer* out) const {
  out->BeginMap(MapKeys::kStrings);
  size_t index = 0;
  for (const auto& [name, text] : emission_->notification->details) {
    out->Key(index++, MapKeys::kStrings);
    out->String(name);
    out->MapValue(MapKeys::kStrings, Need::kRequired);
    out->String(text);
    out->EndEntry(MapKeys::kStrings);
  }
  out->EndMap(MapKeys::kStrings);
}

template <typename Writer>
void RecordFields::WriteCollections(Writer* out) const {
  const absl::Span<const FieldLayout> fields = kCollectionLayout.fields;
  out->BeginArray();
  size_t index = 0;
  for (const event::CollectionCount& collection : emission_->boundary->collections) {
    out->Item(index++, NeedOf(kCollectionLayout.optional));
    out->BeginStruct();
    out->Field(0, fields[0].name, NeedOf(fields[0].optional));
    out->String(collection.name);
    out->Field(1, fields[1].name, NeedOf(fields[1].optional));
    out->Integer(static_cast<int64_t>(collection.events));
    out->EndStruct();
  }
  out->EndArray();
}

}  // namespace walduct::encode
