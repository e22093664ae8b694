#include "config/files/config_providers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "config/files/config_file.h"
#include "java/regex/regex.h"
#include "java/text/properties_text.h"
#include "java/text/text_lists.h"

namespace walduct::config {
namespace {

absl::Status Unresolved(absl::string_view message, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "unresolved_reference", message, hint);
}

// Stores of secrets that a Java class asks for in Connect, by a part of their names. A companion of
// theirs writes files, which are read here.
struct SecretStore {
  absl::string_view part, name, recipe;
};
constexpr absl::string_view kCsi =
    "let the Secrets Store CSI driver (or External Secrets) mount it, and write "
    "${directory:/mnt/secrets:NAME}";
constexpr SecretStore kSecretStores[] = {
    {"vault.azure", "Azure Key Vault", kCsi},
    {"keyvault", "Azure Key Vault", kCsi},
    {"azure", "Azure Key Vault", kCsi},
    {"vault", "HashiCorp Vault",
     "let Vault Agent write it to a file (its injector mounts /vault/secrets), and write "
     "${file:/vault/secrets/NAME:KEY} or ${directory:/vault/secrets:NAME}"},
    {"aws", "AWS Secrets Manager", kCsi},
    {"secretsmanager", "AWS Secrets Manager", kCsi},
    {"secretmanager", "Secret Manager", kCsi},
    {"ssm", "AWS Parameter Store", kCsi},
    {"gcp", "Google Secret Manager", kCsi},
    {"google", "Google Secret Manager", kCsi},
    {"gsm", "Google Secret Manager", kCsi},
    {"kubernetes", "Kubernetes",
     "mount the Secret or ConfigMap, and write ${directory:/mnt/NAME:KEY}"},
    {"configmaps", "Kubernetes", "mount the ConfigMap, and write ${directory:/mnt/NAME:KEY}"},
    {"secrets", "Kubernetes", "mount the Secret, and write ${directory:/mnt/NAME:KEY}"},
};

const SecretStore* FindSecretStore(absl::string_view name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const SecretStore& store : kSecretStores) {
    if (absl::StrContains(lower, store.part)) return &store;
  }
  return nullptr;
}

std::optional<std::string> Find(const KeyValues& properties, absl::string_view key) {
  for (const auto& [name, value] : properties) {
    if (name == key) return value;
  }
  return std::nullopt;
}

// One ${provider:[path:]key}: no '}' inside, the path ends at the second colon.
struct Reference {
  size_t begin = 0, end = 0;
  absl::string_view provider, path, key;
};

std::optional<Reference> NextReference(absl::string_view value, size_t from) {
  for (size_t begin = value.find("${", from); begin != absl::string_view::npos;
       begin = value.find("${", begin + 2)) {
    const size_t close = value.find('}', begin);
    if (close == absl::string_view::npos) return std::nullopt;
    const absl::string_view body = value.substr(begin + 2, close - begin - 2);
    const size_t colon = body.find(':');
    if (colon == absl::string_view::npos) continue;
    Reference reference{begin, close + 1, body.substr(0, colon), {}, body.substr(colon + 1)};
    const size_t second = reference.key.find(':');
    if (second != absl::string_view::npos) {
      reference.path = reference.key.substr(0, second);
      reference.key = reference.key.substr(second + 1);
    }
    return reference;
  }
  return std::nullopt;
}

// Symbolic links and ".." resolved, so that a link inside an allowed folder cannot point out of it.
bool IsInside(const std::string& path, const std::vector<std::string>& allowed) {
  if (allowed.empty()) return true;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  if (error) return false;
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& folder) {
    const std::filesystem::path root = std::filesystem::weakly_canonical(folder, error);
    if (error) return false;
    return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
  });
}

absl::Status NotAllowed(absl::string_view path) {
  return Unresolved(absl::StrCat("'", path, "' is outside the provider's allowed.paths"),
                    "add its folder to config.providers.<name>.param.allowed.paths");
}

}  // namespace

ConfigProviders::ConfigProviders() {
  providers_["file"].kind = Kind::kFile;
  providers_["directory"].kind = Kind::kDirectory;
  providers_["dir"].kind = Kind::kDirectory;
  providers_["env"].kind = Kind::kEnvironment;
}
ConfigProviders::~ConfigProviders() = default;

absl::StatusOr<std::unique_ptr<ConfigProviders>> ConfigProviders::Create(
    const KeyValues& properties) {
  std::unique_ptr<ConfigProviders> result(new ConfigProviders());
  for (const std::string& name :
       java::SplitCommaList(Find(properties, "config.providers").value_or(""))) {
    RETURN_IF_ERROR(result->Declare(name, properties));
  }
  return result;
}

absl::Status ConfigProviders::Declare(const std::string& name, const KeyValues& properties) {
  const std::string prefix = absl::StrCat("config.providers.", name, ".");
  const std::string class_name = Find(properties, prefix + "class").value_or("");
  const absl::string_view simple = java::SimpleClassName(class_name);
  Provider provider;
  if (simple == "FileConfigProvider") {
    provider.kind = Kind::kFile;
  } else if (simple == "DirectoryConfigProvider") {
    provider.kind = Kind::kDirectory;
  } else if (simple == "EnvVarConfigProvider") {
    provider.kind = Kind::kEnvironment;
  } else if (const SecretStore* store = FindSecretStore(class_name)) {
    return Unresolved(absl::StrCat("property '", prefix, "class': value '", class_name,
                                   "' is not a supported provider: walduct does not ask ",
                                   store->name, " itself"),
                      store->recipe);
  } else {
    return Unresolved(absl::StrCat("property '", prefix, "class': value '", class_name,
                                   "' is not a supported provider"),
                      "use FileConfigProvider, DirectoryConfigProvider or EnvVarConfigProvider of "
                      "org.apache.kafka.common.config.provider");
  }
  provider.allowed_paths =
      java::SplitCommaList(Find(properties, prefix + "param.allowed.paths").value_or(""));
  if (const auto pattern = Find(properties, prefix + "param.allowlist.pattern")) {
    absl::StatusOr<std::unique_ptr<java::Regex>> regex = java::Regex::Compile(*pattern, {});
    if (!regex.ok())
      return WithContext(regex.status(),
                         absl::StrCat("property '", prefix, "param.allowlist.pattern'"));
    provider.allowed_names = std::move(*regex);
  }
  providers_[name] = std::move(provider);
  return absl::OkStatus();
}

bool ConfigProviders::HasReference(absl::string_view value) {
  return NextReference(value, 0).has_value();
}

bool ConfigProviders::IsOfEnvironment(absl::string_view value) const {
  std::optional<Reference> reference = NextReference(value, 0);
  if (!reference) return false;
  for (; reference; reference = NextReference(value, reference->end)) {
    const auto found = providers_.find(std::string(reference->provider));
    if (found == providers_.end() || found->second.kind != Kind::kEnvironment) return false;
  }
  return true;
}

absl::StatusOr<std::string> ConfigProviders::Resolve(absl::string_view value) {
  std::string out;
  size_t done = 0;
  while (const std::optional<Reference> reference = NextReference(value, done)) {
    absl::StatusOr<std::string> found =
        Lookup(reference->provider, reference->path, reference->key);
    if (!found.ok()) {
      const absl::string_view text =
          value.substr(reference->begin, reference->end - reference->begin);
      return WithContext(found.status(),
                         absl::StrCat("'", text, "': provider '", reference->provider, "'"));
    }
    absl::StrAppend(&out, value.substr(done, reference->begin - done), *found);
    done = reference->end;
  }
  absl::StrAppend(&out, value.substr(done));
  return out;
}

absl::StatusOr<std::string> ConfigProviders::Lookup(absl::string_view name, absl::string_view path,
                                                    absl::string_view key) {
  const auto found = providers_.find(std::string(name));
  if (found == providers_.end()) {
    if (const SecretStore* store = FindSecretStore(name))
      return Unresolved(
          absl::StrCat("is not declared, and walduct does not ask ", store->name, " itself"),
          store->recipe);
    const auto names = [](std::string* out, const auto& entry) {
      absl::StrAppend(out, entry.first);
    };
    return Unresolved("is not declared",
                      absl::StrCat("known providers: ", absl::StrJoin(providers_, ", ", names)));
  }
  const Provider& provider = found->second;
  switch (provider.kind) {
    case Kind::kFile:
      return FromFile(provider, std::string(path), key);
    case Kind::kDirectory:
      return FromDirectory(provider, std::string(path), key);
    case Kind::kEnvironment:
      break;
  }
  if (!path.empty()) return Unresolved("takes only the name of a variable", "write ${env:NAME}");
  if (provider.allowed_names != nullptr && !provider.allowed_names->FullMatch(key)) {
    return Unresolved(absl::StrCat("variable '", key, "' does not match its allowlist.pattern"),
                      "widen the pattern");
  }
  const char* value = std::getenv(std::string(key).c_str());
  if (value == nullptr)
    return Unresolved(absl::StrCat("variable '", key, "' is not set"), "export it before starting");
  return std::string(value);
}

absl::StatusOr<std::string> ConfigProviders::FromFile(const Provider& provider,
                                                      const std::string& path,
                                                      absl::string_view key) {
  if (path.empty()) return Unresolved("needs a path", "write ${file:/path/name.properties:key}");
  if (!IsInside(path, provider.allowed_paths)) return NotAllowed(path);
  auto file = files_.find(path);
  if (file == files_.end()) {
    ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path));
    absl::StatusOr<java::Properties> parsed = java::ParseProperties(text);
    if (!parsed.ok()) return WithContext(parsed.status(), absl::StrCat("file '", path, "'"));
    file = files_.emplace(path, std::move(parsed->values)).first;
  }
  if (auto value = Find(file->second, key)) return *value;
  return Unresolved(absl::StrCat("file '", path, "' has no key '", key, "'"),
                    "check the key's spelling in that file");
}

absl::StatusOr<std::string> ConfigProviders::FromDirectory(const Provider& provider,
                                                           const std::string& path,
                                                           absl::string_view key) {
  if (path.empty() || key.empty() || absl::StrContains(key, '/') || key == "..") {
    return Unresolved("needs a folder and a file name", "write ${directory:/path:name}");
  }
  const std::string full = absl::StrCat(path, "/", key);
  if (!IsInside(full, provider.allowed_paths)) return NotAllowed(full);
  return ReadTextFile(full);
}

}  // namespace walduct::config
