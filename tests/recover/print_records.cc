// Prints what a gate sees in segments, given in order: `running BEGIN END OLDEST` for each
// running-xacts record, `pruning HORIZON` for each pruning of a catalog, `ddl BEGIN DATABASE
// ROWS_TO` for each commit that changes what a catalog says of tables, `segment MAJOR LAST_BEGIN
// LAST_END` for each file, and what stopped it; `left NUMBER`: prunings that have their mark when
// all that may lose it have.
// tests/e2e/test_recover_gate.py compares that with what PostgreSQL says itself.
#include <iostream>
#include <string>

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
    const walduct::Lsn head_begin = records.head_begin;
    records = ReadRecords(*header, file.bytes(), head, head_begin, records.next_xid,
                          records.lock_catalogs);
    for (const auto& one : records.running) {
      std::cout << "running " << one.begin.ToString() << " " << one.end.ToString() << " "
                << walduct::ToInteger(one.oldest_running) << "\n";
    }
    for (const auto& one : records.ddl) {
      std::cout << "ddl " << one.begin.ToString() << " " << one.database << " "
                << one.rows_to.ToString() << "\n";
    }
    std::string without(file.bytes());
    for (const auto& one : records.prunings) {
      std::cout << "pruning " << walduct::ToInteger(one.horizon) << "\n";
      for (const auto& edit : one.edits) without[edit.at] = edit.to;
    }
    const auto again = ReadRecords(*header, without, head, head_begin);
    std::cout << "left " << again.prunings.size() << "\n";
    if (again.last_begin != records.last_begin) std::cout << "stopped " << again.stopped << "\n";
    std::cout << "segment " << header->major << " " << records.last_begin.ToString() << " "
              << records.last_end.ToString() << "\n";
    if (!records.stopped.empty()) std::cout << "stopped " << records.stopped << "\n";
  }
  return 0;
}
