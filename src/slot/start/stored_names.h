// What the stored position has captured, for who looks whether it still is: a table that has got
// another name while nothing ran is found by its OID.
#pragma once

#include <map>
#include <string>

namespace walduct::names {
struct TableFilterOptions;
}

namespace walduct::slot {

struct CaptureRecord;

// members: of the stored position. lists: names that they leave out are not missed. record: null:
// nobody looks.
void RememberNames(const std::map<std::string, std::string>& members,
                   const names::TableFilterOptions& lists, CaptureRecord* record);

}  // namespace walduct::slot
