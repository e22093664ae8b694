// Kafka Connect's configuration providers: ${provider:[path:]key} inside a property value.
//
//   ${file:/path/x.properties:key}   one key of a properties file     param allowed.paths
//   ${directory:/path:name}          a whole file, byte for byte      param allowed.paths
//   ${env:NAME}                      an environment variable          param allowlist.pattern
//
// file, directory, dir and env exist without declaration and unrestricted. `config.providers=a,b`,
// `config.providers.a.class=…` and `config.providers.a.param.…` declare others or restrict these.
// Resolved values are secrets: no message ever contains one. Files are read at most once. Not
// thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/files/key_values.h"

namespace walduct::java {
class Regex;
}  // namespace walduct::java

namespace walduct::config {

class ConfigProviders {
 public:
  // properties: all of them; only config.providers* is looked at. InvalidArgument for an unknown
  // class or a bad parameter.
  static absl::StatusOr<std::unique_ptr<ConfigProviders>> Create(const KeyValues& properties);
  ~ConfigProviders();

  // Replaces every reference in value; text in references is not expanded again. InvalidArgument
  // names the provider and what it could not find, never a value.
  absl::StatusOr<std::string> Resolve(absl::string_view value);

  // Does value hold at least one ${provider:…} reference?
  static bool HasReference(absl::string_view value);
  // Is each of its references one to the environment, which stays as it is while a process runs?
  bool IsOfEnvironment(absl::string_view value) const;

 private:
  enum class Kind { kFile, kDirectory, kEnvironment };
  struct Provider {
    Kind kind = Kind::kFile;
    std::vector<std::string> allowed_paths;  // empty: all
    std::shared_ptr<const java::Regex> allowed_names;
  };

  ConfigProviders();
  absl::Status Declare(const std::string& name, const KeyValues& properties);
  absl::StatusOr<std::string> Lookup(absl::string_view name, absl::string_view path,
                                     absl::string_view key);
  absl::StatusOr<std::string> FromFile(const Provider& provider, const std::string& path,
                                       absl::string_view key);
  absl::StatusOr<std::string> FromDirectory(const Provider& provider, const std::string& path,
                                            absl::string_view key);

  std::map<std::string, Provider> providers_;
  std::map<std::string, KeyValues> files_;
};

}  // namespace walduct::config
