// A line in colours that is not wider than the terminal. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::sink {

class CutLine {
 public:
  // colour: an escape sequence; empty: none.
  void Add(absl::string_view colour, absl::string_view text);
  // With spaces up to so many columns.
  void AddPadded(absl::string_view colour, absl::string_view text, size_t columns);

  // With its end. columns: what does not fit is cut, "…" says so; 0: all of it.
  std::string Take(bool coloured, size_t columns);

 private:
  struct Part {
    std::string colour, text;
  };
  std::vector<Part> parts_;
};

// Of a terminal: a character of East Asia or an emoji takes two, one that is combined none.
size_t ColumnsOf(absl::string_view text);

}  // namespace walduct::sink
