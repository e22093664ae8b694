// Prints what a gate sees in segments, given in order: `running BEGIN END OLDEST` for each
// running-xacts record, `segment MAJOR LAST_BEGIN LAST_END` for each file, and what stopped it.
// tests/e2e/test_recover_gate.py compares that with what PostgreSQL says itself.
#include <iostream>

#include "recover/segment_file.h"
#include "recover/wal_segment.h"

int main(int argc, char** argv) {
  walduct::recover::SegmentRecords records;
  for (int i = 1; i < argc; ++i) {
    const walduct::recover::MappedFile file(argv[i]);
    const auto header = walduct::recover::ReadSegmentHeader(file.bytes());
    if (!header.ok()) {
      std::cout << header.status() << "\n";
      return 1;
    }
    const std::string head = records.head;
    records = ReadRecords(*header, file.bytes(), head, records.head_begin);
    for (const auto& one : records.running) {
      std::cout << "running " << one.begin.ToString() << " " << one.end.ToString() << " "
                << walduct::ToInteger(one.oldest_running) << "\n";
    }
    std::cout << "segment " << header->major << " " << records.last_begin.ToString() << " "
              << records.last_end.ToString() << "\n";
    if (!records.stopped.empty()) std::cout << "stopped " << records.stopped << "\n";
  }
  return 0;
}
