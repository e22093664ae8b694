// Who may ask a worker, and what its answers say besides. Immutable once built.
#pragma once

#include <memory>

#include "access/headers.h"
#include "access/passwords.h"
#include "http/address.h"
#include "http/server_tls.h"

namespace walduct::access {

// What is answered on a listener: /admin has one of its own where admin.listeners is set.
enum class Listens { kAll, kAllButAdmin, kAdminOnly };

struct ListenerOptions {
  http::Address address;
  std::shared_ptr<const http::ServerTls> tls = nullptr;  // null: plain
  Listens listens = Listens::kAll;
};

struct AccessOptions {
  std::shared_ptr<const Passwords> passwords = nullptr;  // null: nobody is asked
  CrossOrigin cross_origin = {};
  HeaderRules headers = {};
};

}  // namespace walduct::access
