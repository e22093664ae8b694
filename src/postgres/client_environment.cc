#include "postgres/client_environment.h"

#include <libpq-fe.h>

#include <cstdlib>
#include <set>

namespace walduct::postgres {
namespace {

// Those that are not the default of a connection parameter.
constexpr const char* kOthers[] = {"PGSERVICE",   "PGSERVICEFILE", "PGSYSCONFDIR", "PGTZ",
                                   "PGDATESTYLE", "PGGEQO",        "PGREQUIRESSL"};

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

}  // namespace walduct::postgres
