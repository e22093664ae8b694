// What a crash in the middle of a write leaves at the end of a file of lines.
#pragma once

#include <cstdint>
#include <string>

namespace walduct::sink {

// Makes the file end with a whole line, so that the next one is not glued to its rest: a last line
// without its end is cut off when it begins as a record does (it was never acknowledged), and ended
// when it is something else. fd: open for appending. path is read for it. Only ordinary files are
// touched. 0, or errno; `*cut`: bytes cut off.
int MendLastLine(const std::string& path, int fd, uint64_t* cut);

}  // namespace walduct::sink
