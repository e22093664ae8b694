// Whose publication a finding would have altered: the name that is configured may be that of
// another connector's. Pure.
#pragma once

#include <string>
#include <vector>

#include "replication/capture/capture_judge.h"

namespace walduct::replication {

// own: the publication that is named. Where the finding's statement alters that, it says whether
// another one was read before, and whether others read by this one.
void TellWhose(const CaptureFacts& facts, const CaptureWish& wish, const CaptureMemory& memory,
               const PublicationFacts& own, CaptureFinding* finding);

// hint: what would be typed about findings of one reason. Before an ALTER of a publication that may
// not be meant stands the name that was read by before, or that there is another reader.
// snapshots: the commands that read the tables.
std::string WithOwner(const std::vector<const CaptureFinding*>& of_one_reason,
                      const CaptureWish& wish, const std::string& snapshots, std::string hint);

}  // namespace walduct::replication
