#include "base/error.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace walduct {
namespace {

constexpr absl::string_view kReasonUrl = "walduct/reason";
constexpr absl::string_view kHintUrl = "walduct/hint";
constexpr absl::string_view kChangeUrl = "walduct/change";

std::string Payload(const absl::Status& status, absl::string_view url) {
  const auto payload = status.GetPayload(url);
  return payload ? std::string(*payload) : std::string();
}

}  // namespace

absl::Status Error(absl::StatusCode code, absl::string_view reason, absl::string_view message,
                   absl::string_view hint) {
  absl::Status status(code, message);
  status.SetPayload(kReasonUrl, absl::Cord(reason));
  if (!hint.empty()) status.SetPayload(kHintUrl, absl::Cord(hint));
  return status;
}

std::string ErrorReason(const absl::Status& status) { return Payload(status, kReasonUrl); }
std::string ErrorHint(const absl::Status& status) { return Payload(status, kHintUrl); }

absl::Status WithChange(absl::Status status, absl::string_view change) {
  if (!status.ok() && !change.empty()) status.SetPayload(kChangeUrl, absl::Cord(change));
  return status;
}

std::string ErrorChange(const absl::Status& status) { return Payload(status, kChangeUrl); }

absl::Status WithContext(const absl::Status& status, absl::string_view context) {
  // It may begin so already.
  if (status.ok() || absl::StartsWith(status.message(), absl::StrCat(context, ": "))) return status;
  absl::Status whole = Error(status.code(), ErrorReason(status),
                             absl::StrCat(context, ": ", status.message()), ErrorHint(status));
  return WithChange(std::move(whole), ErrorChange(status));
}

}  // namespace walduct
