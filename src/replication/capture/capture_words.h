// What findings about captured tables are called, and what to do. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "replication/capture/capture_judge.h"

namespace walduct::replication {

// How many tables and statements a line names.
inline constexpr size_t kMostNamed = 20;

// Of all tables of that reason.
absl::string_view CaptureMessage(absl::string_view reason);
// "public.cust (OID 16401 now; …)"; empty: of the publication.
std::string CaptureSubject(const CaptureFinding& finding);
// Lists that keep something from being published: column.mask.*, column.truncate.*,
// column.exclude.list.
bool HidesColumns(absl::string_view property);
// of_one_reason: at least one.
std::string CaptureHint(const std::vector<const CaptureFinding*>& of_one_reason,
                        const CaptureWish& wish);

}  // namespace walduct::replication
