#include "encode/program/cloud_events/cloud_event_functions.h"

#include <charconv>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/integer.h"
#include "encode/values/time_format.h"

namespace walduct::encode {
namespace {

using event::Scalar;

absl::Status Unknown(absl::string_view field) {
  return Error(absl::StatusCode::kInvalidArgument, "cloud_event_incomplete",
               absl::StrCat("CloudEventsConverter needs ", field, ", which is null"),
               "use another converter");
}

void AppendInteger(int64_t value, std::string* out) {
  char digits[24];
  out->append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

class TextOfNumber final : public event::ValueFunction {
 public:
  absl::Status Apply(absl::Span<const Scalar> in, std::string* buffer, Scalar* out) const override {
    *out = in[0];
    if (in[0].kind != Scalar::Kind::kInteger) return absl::OkStatus();
    AppendInteger(in[0].integer, buffer);
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  }
};

class TimeOfMillis final : public event::ValueFunction {
 public:
  absl::Status Apply(absl::Span<const Scalar> in, std::string* buffer, Scalar* out) const override {
    constexpr int64_t kDay = 86'400'000;
    if (in[0].is_null()) return Unknown("source.ts_ms");
    const int64_t day = FloorDivide(in[0].integer, kDay);
    char text[kMostOfDay + kMostOfClock + 8];
    char* to = PutIsoDay(CivilFromDays(day), text);
    *to++ = 'T';
    to = PutIsoClock((in[0].integer - day * kDay) * 1000, 3, to);
    *to++ = 'Z';
    buffer->assign(text, to);
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  }
};

class IdOfSource final : public event::ValueFunction {
 public:
  explicit IdOfSource(absl::string_view prefix) : begin_(absl::StrCat("name:", prefix, ";lsn:")) {}
  absl::Status Apply(absl::Span<const Scalar> in, std::string* buffer, Scalar* out) const override {
    for (const Scalar& value : in) {
      if (value.is_null()) return Unknown("source.lsn, source.txId or source.sequence");
    }
    buffer->append(begin_);
    AppendInteger(in[0].integer, buffer);
    buffer->append(";txId:");
    AppendInteger(in[1].integer, buffer);
    buffer->append(";sequence:");
    buffer->append(in[2].text.data(), in[2].text.size());
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  }

 private:
  const std::string begin_;
};

}  // namespace

event::ValueFunctionPtr AsText() {
  static const auto* const function = new event::ValueFunctionPtr(std::make_shared<TextOfNumber>());
  return *function;
}

event::ValueFunctionPtr EventTime() {
  static const auto* const function = new event::ValueFunctionPtr(std::make_shared<TimeOfMillis>());
  return *function;
}

event::ValueFunctionPtr EventId(absl::string_view prefix) {
  return std::make_shared<IdOfSource>(prefix);
}

}  // namespace walduct::encode
