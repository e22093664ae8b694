#include "operate/doctor/doctor.h"

#include "absl/strings/str_cat.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/source_type.h"
#include "operate/doctor/checks.h"
#include "postgres/host_checks.h"
#include "slot/start/start_checks.h"

namespace walduct::operate {

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

void Ask(slot::StartCheck check, Examination& examined) {
  switch (check) {
    case slot::StartCheck::kSpill:
      return AskSpill(examined);
    case slot::StartCheck::kSink:
      return AskSink(examined);
    case slot::StartCheck::kRegistries:
      return AskRegistries(examined);
    case slot::StartCheck::kOffsetStore:
      return AskOffsetStore(examined);
    case slot::StartCheck::kServer:
      return AskServer(examined);
    case slot::StartCheck::kStoredPosition:
      return AskStoredPosition(examined);
    case slot::StartCheck::kSlotCount:
      return AskSlotCount(examined);
    case slot::StartCheck::kTables:
      return AskTables(examined);
    case slot::StartCheck::kPromotion:
      return AskPromotion(examined);
    case slot::StartCheck::kSlot:
      return AskSlot(examined);
    case slot::StartCheck::kSlotOwner:
      return AskSlotOwner(examined);
    case slot::StartCheck::kEarlierWriters:
      return AskEarlierWriters(examined);
    case slot::StartCheck::kPosition:
      return AskPosition(examined);
    case slot::StartCheck::kMasks:
      return AskMasks(examined);
    case slot::StartCheck::kTransforms:
      return AskTransforms(examined);
    case slot::StartCheck::kRights:
      return AskRights(examined);
    case slot::StartCheck::kTopics:
      return AskTopics(examined);
    case slot::StartCheck::kPublication:
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
  const engine::SourceType* const source = engine::SourceOf(subject.whole);
  if (source != nullptr && source->examine != nullptr) {
    AskSink(examined);
    AskRegistries(examined);
    const auto warnings = source->examine(subject.whole, environment);
    findings.Add(warnings.status());
    findings.asked.push_back(
        absl::StrCat("PostgreSQL at ", postgres::HostAndPort(findings.host, findings.port)));
    if (warnings.ok()) {
      for (const absl::Status& warning : *warnings) findings.Add(warning, Severity::kWarning);
      AskRouter(examined);
      CheckSlotLeft(examined);
    }
    findings.WorstFirst();
    return findings;
  }
  for (const slot::StartCheck check : slot::kStartChecks) {
    if (check > slot::StartCheck::kPosition && examined.is_done()) break;
    Ask(check, examined);
  }
  AskMore(examined);
  findings.WorstFirst();
  return findings;
}

}  // namespace walduct::operate
