// WarnOnce: warnings that are worth one line for as long as the process lives, however often a
// connector starts anew. Data thread only.
#pragma once

#include <string>

#include "absl/container/flat_hash_set.h"
#include "base/log.h"

namespace walduct::engine {

class WarnOnce {
 public:
  void Warn(const std::string& text) {
    if (said_.insert(text).second) log::Warn(text);
  }
  // The same text comes once, whatever the hint.
  void Warn(const std::string& text, const std::string& hint) {
    if (said_.insert(text).second) log::Warn(text, {{"hint", hint}});
  }

 private:
  absl::flat_hash_set<std::string> said_;
};

}  // namespace walduct::engine
