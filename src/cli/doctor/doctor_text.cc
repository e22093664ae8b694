#include "cli/doctor/doctor_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/documents.h"
#include "base/plain_text.h"
#include "cli/usage/tones.h"

namespace walduct::cli {
namespace {

using operate::Finding;
using operate::Severity;

Tone ToneOf(Severity severity) {
  if (severity == Severity::kError) return Tone::kBad;
  return severity == Severity::kWarning ? Tone::kWarning : Tone::kFaint;
}

}  // namespace

std::string ExaminedText(const operate::Examined& one, bool colour) {
  std::string text = PlainText(one.connector) + "\n";
  for (const Finding& finding : one.findings.all) {
    const Tone tone = ToneOf(finding.severity);
    const bool faint = tone == Tone::kFaint;
    absl::StrAppend(
        &text, "\n  ",
        Toned(colour, tone,
              absl::StrCat(operate::SeverityText(finding.severity), "  ", finding.reason)),
        "\n    ", Toned(colour, faint ? tone : Tone::kPlain, WithDocuments(finding.message)), "\n");
    if (!finding.hint.empty())
      absl::StrAppend(
          &text, "    ",
          Toned(colour, faint ? tone : Tone::kPlain, "-> " + WithDocuments(finding.hint)), "\n");
  }
  const auto count = [&](Severity severity, absl::string_view what) {
    const size_t number = CountOf(one, severity);
    return Toned(colour, number == 0 ? Tone::kPlain : ToneOf(severity),
                 absl::StrCat(number, " ", what, number == 1 ? "" : "s"));
  };
  absl::StrAppend(&text, one.findings.all.empty() ? "" : "\n", "  ",
                  count(Severity::kError, "error"), ", ", count(Severity::kWarning, "warning"),
                  ", ", count(Severity::kNotice, "notice"),
                  "; asked: ", absl::StrJoin(one.findings.asked, ", "), "\n");
  return text;
}

}  // namespace walduct::cli
