// What the properties say of the console. Immutable once built.
#pragma once

namespace walduct::console {

struct ConsoleOptions {
  bool enabled = true;
  bool write = false;   // its page may change connectors
  bool values = false;  // its live tail shows keys and values
};

}  // namespace walduct::console
