// Advice: something that an operator should know about a publication.
#pragma once

#include <string>

namespace walduct::replication {

struct Advice {
  std::string reason;  // publication_refuses_writes, publication_key_not_sent, …
  std::string message;
  std::string count;   // of all tables it is about
  std::string tables;  // at most 20 of them, with commas
  std::string hint;
};

}  // namespace walduct::replication
