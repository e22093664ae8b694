#include "postgres/client_environment.h"

#include <libpq-fe.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "absl/strings/str_cat.h"

namespace walduct::postgres {
namespace {

// Those that are not the default of a connection parameter.
constexpr const char* kOthers[] = {"PGSERVICE",   "PGSERVICEFILE", "PGSYSCONFDIR", "PGTZ",
                                   "PGDATESTYLE", "PGGEQO",        "PGREQUIRESSL"};

constexpr const char* kOfKerberos[] = {"KRB5_CONFIG", "KRB5CCNAME", "KRB5_CLIENT_KTNAME"};

std::set<std::string> KnownNames() {
  std::set<std::string> names(std::begin(kOthers), std::end(kOthers));
  PQconninfoOption* const options = PQconndefaults();
  for (const PQconninfoOption* option = options; option != nullptr && option->keyword != nullptr;
       ++option) {
    if (option->envvar != nullptr) names.insert(option->envvar);
  }
  PQconninfoFree(options);
  return names;
}

}  // namespace

std::vector<std::string> RemoveEnvironment() {
  std::vector<std::string> removed;
  for (const std::string& name : KnownNames()) {
    if (std::getenv(name.c_str()) == nullptr) continue;
    unsetenv(name.c_str());
    removed.push_back(name);
  }
  return removed;
}

// Where MIT's library looks by default, as Debian builds it.
bool HasKerberos(const std::string& root) {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  if (std::any_of(std::begin(kOfKerberos), std::end(kOfKerberos), is_set)) return true;
  const std::string files[] = {"/etc/krb5.conf", absl::StrCat("/tmp/krb5cc_", getuid()),
                               absl::StrCat("/etc/krb5/user/", geteuid(), "/client.keytab")};
  return std::any_of(std::begin(files), std::end(files), [&](const std::string& file) {
    return access((root + file).c_str(), F_OK) == 0;
  });
}

}  // namespace walduct::postgres
