#include "engine/doctor/doctor.h"

#include <algorithm>

#include "engine/doctor/checks.h"
#include "engine/start/start_checks.h"

namespace walduct::engine {

absl::string_view SeverityText(Severity severity) {
  switch (severity) {
    case Severity::kNotice:
      return "notice";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "error";
}

namespace {

void Ask(StartCheck check, Examination& examined) {
  switch (check) {
    case StartCheck::kSpill:
      return AskSpill(examined);
    case StartCheck::kSink:
      return AskSink(examined);
    case StartCheck::kRegistries:
      return AskRegistries(examined);
    case StartCheck::kOffsetStore:
      return AskOffsetStore(examined);
    case StartCheck::kServer:
      return AskServer(examined);
    case StartCheck::kStoredPosition:
      return AskStoredPosition(examined);
    case StartCheck::kSlotCount:
      return AskSlotCount(examined);
    case StartCheck::kTables:
      return AskTables(examined);
    case StartCheck::kPromotion:
      return AskPromotion(examined);
    case StartCheck::kSlot:
      return AskSlot(examined);
    case StartCheck::kSlotOwner:
      return AskSlotOwner(examined);
    case StartCheck::kEarlierWriters:
      return AskEarlierWriters(examined);
    case StartCheck::kPosition:
      return AskPosition(examined);
    case StartCheck::kMasks:
      return AskMasks(examined);
    case StartCheck::kTransforms:
      return AskTransforms(examined);
    case StartCheck::kRights:
      return AskRights(examined);
    case StartCheck::kTopics:
      return AskTopics(examined);
    case StartCheck::kPublication:
      return AskPublication(examined);
  }
}

// What works, and goes wrong one day.
void AskMore(Examination& examined) {
  if (examined.sql == nullptr) return;
  CheckSettings(*examined.sql, examined.environment, &examined.findings);
  CheckStatements(examined);
  CheckRows(examined);
  CheckRetained(examined);
}

}  // namespace

Findings Examine(const Subject& subject, const Environment& environment) {
  Findings findings;
  NameServer(subject, &findings);
  Examination examined{.subject = subject, .environment = environment, .findings = findings};
  for (const StartCheck check : kStartChecks) {
    if (check > StartCheck::kPosition && examined.is_done()) break;
    Ask(check, examined);
  }
  AskMore(examined);
  std::stable_sort(findings.all.begin(), findings.all.end(),
                   [](const auto& a, const auto& b) { return a.severity > b.severity; });
  return findings;
}

}  // namespace walduct::engine
