// Records as lines of text, in a file or on standard output. Immutable once built.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace walduct::sink {

struct FileSinkOptions {
  size_t buffer_bytes = 8u << 20;  // not acknowledged yet, at most
  std::string path;
  std::string property = "sink.file.path";  // which names it
};

struct StdoutSinkOptions {
  size_t buffer_bytes = 8u << 20;  // the same
  bool pretty = false;             // for people: `walduct tail`
  bool full = false;               // with pretty: all of a record, else a line
  bool eyes = false;               // a line for eyes, cut to a terminal's width
  // Of a look: whoever read standard output has ended. What comes then goes nowhere, and is no
  // error. Data thread. Null: it is one, as records would be lost.
  std::function<void()> reader_left = nullptr;
};

}  // namespace walduct::sink
