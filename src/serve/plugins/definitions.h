// Definitions: every setting of the connector, the transforms, the predicates and the converters,
// as Kafka Connect 4.3 and Debezium 3.6.1 define them (definitions.tsv). Read once, then immutable.
//
// The checks of a setting, after that of its type (checks.cc). Debezium's: required, topicname,
// hostname, int, bool, posint, nonnegint, poslong, nonneglong, slotname, queuesize, enum (one of
// the values), regexes, exclusive:OTHER, custom:MODE, class, pairs, keycolumns, identities,
// operations, onetable, sinktopic. Connect's, one a setting: ktext, kmin0, kmin1, kin:A, B,
// kone:A, B, kenum:a|b, kregex, kaliases, klist, kmaylist, kitems, krenames, kcast, knonnull,
// knonempty.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::serve {

struct Definition {
  std::string name, type;
  bool required = false;
  std::optional<std::string> default_value;
  std::string importance;
  std::optional<std::string> group;
  int order = 0;
  std::string width, display;
  bool visible = true;
  std::vector<std::string> values;  // recommended
  std::vector<std::string> checks;
  std::vector<std::string> dependents;
};

struct Plugin {
  std::string class_name, type;  // "source", "transformation", "converter", …
  bool debezium = false;         // else Kafka's
  std::vector<Definition> definitions;

  std::string version() const;
};

// In the order of GET /connector-plugins.
const std::vector<Plugin>& AllPlugins();
// What Connect itself asks of every source connector.
const std::vector<Definition>& FrameworkDefinitions();
const Plugin& ConnectorPlugin();
// Of Kafka's clients: "producer", "admin".
const std::vector<Definition>& ClientDefinitions(absl::string_view client);

// By the full name, the simple one, or that without "Connector"; null: there is none.
const Plugin* FindPlugin(absl::string_view name);
// The same, of one type, by its full name.
const Plugin* FindPlugin(absl::string_view class_name, absl::string_view type);

}  // namespace walduct::serve
