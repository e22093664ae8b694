#include "offset/slot_handover.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace walduct::offset {
namespace {

using Step = SlotHandover::Step;

constexpr absl::string_view kMoving = "moving";
constexpr absl::string_view kDraining = "draining";
constexpr absl::string_view kEnding = "ending";

}  // namespace

std::string HandoverText(const SlotHandover& handover) {
  const std::string numbers = absl::StrCat(handover.from, ">", handover.to, " ");
  switch (handover.step) {
    case Step::kMoving:
      return absl::StrCat(numbers, kMoving);
    case Step::kDraining:
      return absl::StrCat(numbers, kDraining, " ", handover.cut.ToString());
    case Step::kEnding:
      return absl::StrCat(numbers, kEnding);
  }
  return numbers;
}

std::optional<SlotHandover> ParseHandover(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  if (words.size() < 2) return std::nullopt;
  const std::vector<absl::string_view> numbers = absl::StrSplit(words[0], '>');
  SlotHandover handover;
  if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &handover.from) ||
      !absl::SimpleAtoi(numbers[1], &handover.to) || handover.from < 1 || handover.to < 1 ||
      handover.from == handover.to)
    return std::nullopt;
  if (words[1] == kDraining && words.size() == 3) {
    const auto cut = Lsn::Parse(words[2]);
    if (!cut.ok()) return std::nullopt;
    handover.step = Step::kDraining;
    handover.cut = *cut;
    return handover;
  }
  if (words.size() != 2 || (words[1] != kMoving && words[1] != kEnding)) return std::nullopt;
  handover.step = words[1] == kMoving ? Step::kMoving : Step::kEnding;
  return handover;
}

}  // namespace walduct::offset
