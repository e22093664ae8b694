// The checks of a load that need nothing but the table: each property against its definition, what
// is required, lists that exclude each other. All problems are found, not only the first. No server
// and no file is touched.
#pragma once

#include "absl/strings/string_view.h"
#include "config/load_report.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::config {

// Each property given, in order: unknown, renamed, malformed, refused, without effect. Gives the
// lines of the report.
std::vector<PropertyReport> CheckProperties(const PropertySet& properties, const Masking& masking,
                                            Findings* findings);

// Rows that are required and not set.
void CheckRequired(const PropertySet& properties, Findings* findings);

// <kind>.include.list and <kind>.exclude.list: one of them at most.
void CheckOneList(const PropertySet& properties, absl::string_view kind, Findings* findings);

// Adds what was found to the report, and hides the salts of hashes in all its texts.
void CloseReport(const PropertySet& properties, Findings* findings, LoadReport* report);

}  // namespace walduct::config
