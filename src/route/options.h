// Which changes are published, to which topic, under which key. Immutable once built.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "java/regex/regex.h"
#include "route/message_keys.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::route {

// A regular expression that must match a whole topic name, and what its first match becomes.
struct TopicRewrite {
  std::shared_ptr<const java::Regex> regex;
  std::string replacement;  // checked against the regex
};

// topic.naming.strategy and its options.
struct TopicNamingOptions {
  bool with_schema = true;              // Schema…NamingStrategy; else prefix and table alone
  bool unicode = false;                 // …UnicodeTopicNamingStrategy: _uXXXX instead of _
  std::optional<TopicRewrite> rewrite;  // …RegexTopicNamingStrategy
  std::string key_field;                // field of the key that names the table; empty: none
  std::optional<TopicRewrite> key_field_rewrite;
};

struct RouteOptions {
  std::string topic_prefix;
  std::string topic_delimiter = ".";
  TopicNamingOptions naming;
  std::optional<MessageKeys> message_keys;
  bool skip_unchanged = false;                     // skip.messages.without.change
  bool transaction_metadata = false;               // provide.transaction.metadata
  std::string transaction_suffix = "transaction";  // topic.transaction
  std::string heartbeat_prefix = "__debezium-heartbeat";
  std::string heartbeat_topic;  // topic.heartbeat.name; empty: prefix, delimiter, topic.prefix
  std::shared_ptr<const java::RegexList> message_include, message_exclude;
  bool tombstones_on_delete = true;
  bool skip_create = false, skip_update = false, skip_delete = false, skip_truncate = true;

  // Letters of changes that are not skipped: "iudt".
  std::string wanted() const {
    return std::string(skip_create ? "" : "i") + (skip_update ? "" : "u") +
           (skip_delete ? "" : "d") + (skip_truncate ? "" : "t");
  }
};

}  // namespace walduct::route
