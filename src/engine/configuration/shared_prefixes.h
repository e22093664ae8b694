// SharedPrefixes: connectors of one process whose topics begin with the same word. Kafka Connect
// refuses none of them; Debezium's documentation asks for a prefix of its own for each.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/configuration/connector_names.h"

namespace walduct::engine {

class SharedPrefixes {
 public:
  // Lanes of one connector are one.
  void Add(const ConnectorNames& names);
  // "topic.prefix 'shop' is that of connector b, too: …"; empty: it is this one's alone.
  std::string TextOf(const ConnectorNames& names) const;

 private:
  std::map<std::string, std::set<std::string>> by_prefix_;
};

inline constexpr char kSharedPrefixHint[] =
    "give each connector its own topic.prefix, unless they read different tables and that is meant";

}  // namespace walduct::engine
