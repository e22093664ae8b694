#include "event/change_id.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace walduct::event {

std::string ChangeId::Text() const { return absl::StrCat(commit.ToString(), ":", number); }

std::optional<ChangeId> ParseChangeId(absl::string_view text) {
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  const absl::StatusOr<Lsn> commit = Lsn::Parse(text.substr(0, colon));
  const absl::string_view digits = text.substr(colon + 1);
  uint64_t number = 0;
  const bool plain = digits.find_first_not_of("0123456789") == absl::string_view::npos;
  if (!commit.ok() || !commit->valid() || !plain || !absl::SimpleAtoi(digits, &number) ||
      number == 0)
    return std::nullopt;
  return ChangeId{*commit, number};
}

}  // namespace walduct::event
