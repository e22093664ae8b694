// What walduct recover read has found, for people.
#pragma once

namespace walduct::recover {
struct ReadReport;
}

namespace walduct::cli {

// wrote: what differs was published.
void PrintRead(const recover::ReadReport& report, bool wrote);

}  // namespace walduct::cli
