// What a doctor has found, for people.
#pragma once

#include <string>

#include "operate/doctor/doctor_report.h"

namespace walduct::cli {

// Errors in red, warnings in yellow, notices faint.
std::string ExaminedText(const operate::Examined& one, bool colour);

}  // namespace walduct::cli
