// What `walduct doctor` does: looks at everything a connector needs before and while it runs, and
// changes nothing. It asks what a start asks (slot/start/start_checks.h), to the end, and beside
// it what goes wrong only later. Blocking; for the command line.
#pragma once

#include "base/environment.h"
#include "operate/doctor/subject/finding.h"
#include "operate/doctor/subject/subject.h"

namespace walduct::operate {

// Seconds at most for each server; one that does not answer is a finding. Worst findings first.
Findings Examine(const Subject& subject, const Environment& environment);

}  // namespace walduct::operate
