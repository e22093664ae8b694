#include "postgres/connection_parameters.h"

#include <atomic>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "postgres/connection_options.h"
#include "postgres/options.h"
#include "postgres/sender_timeout.h"

namespace walduct::postgres {
namespace {

struct Setting {
  const char* name;
  const char* value;
};

// Decide how values look as text.
constexpr Setting kTextSettings[] = {
    {"DateStyle", "ISO"},
    {"IntervalStyle", "postgres"},
    {"TimeZone", "UTC"},
    // The shortest text that says the number; extensions that print so many digits (unit) go by the
    // server's own 1, too. Before PostgreSQL 12 see below.
    {"extra_float_digits", "1"},
    {"bytea_output", "hex"},
    {"lc_monetary", "C"},
    {"standard_conforming_strings", "on"},  // QuoteLiteral relies on it
};

// A limit that an administrator set for the role's ordinary sessions must not end a snapshot or the
// stream.
constexpr Setting kTimeoutSettings[] = {
    {"statement_timeout", "0"},
    {"lock_timeout", "0"},
    {"idle_in_transaction_session_timeout", "0"},
};

// PostgreSQL 18 says by a warning alone that a publication is missing, whatever the role is set to
// hear.
constexpr Setting kStreamSetting = {"client_min_messages", "notice"};

// A peer that vanished without a word is noticed after 15 s of silence and 4 unanswered probes.
constexpr Setting kKeepalives[] = {
    {"keepalives", "1"},       {"keepalives_idle", "15"},     {"keepalives_interval", "5"},
    {"keepalives_count", "4"}, {"tcp_user_timeout", "35000"},
};

std::atomic<int64_t> sender_timeout_ms{0};
constexpr char kSenderTimeout[] = "wal_sender_timeout";

constexpr int kShortestFloats = 120000;
constexpr int kIdleSessionTimeout = 140000;
constexpr int kTransactionTimeout = 170000;
// Nobody's but ours: tells whether what was asked for reached the session.
constexpr char kArrived[] = "walduct.session";

void AppendSetting(absl::string_view name, absl::string_view value, std::string& out) {
  absl::StrAppend(&out, out.empty() ? "" : " ", "-c ", name, "=");
  for (const char c : value) {
    if (c == ' ' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
}

}  // namespace

void AskForSenderTimeout(absl::Duration timeout) {
  sender_timeout_ms = absl::ToInt64Milliseconds(timeout);
}

absl::Duration AskedSenderTimeout() { return absl::Milliseconds(sender_timeout_ms.load()); }

std::string StartupOptions(const ConnectionOptions& options) {
  std::string out;
  for (const Setting& setting : kTextSettings) {
    if (options.keep_lc_monetary && absl::string_view(setting.name) == "lc_monetary") continue;
    AppendSetting(setting.name, setting.value, out);
  }
  for (const Setting& setting : kTimeoutSettings) AppendSetting(setting.name, setting.value, out);
  if (!options.keep_search_path) AppendSetting("search_path", "pg_catalog", out);
  if (options.kind == SessionKind::kSql) {
    AppendSetting("row_security", "off", out);
  } else {
    AppendSetting(kStreamSetting.name, kStreamSetting.value, out);
    if (const int64_t asked = sender_timeout_ms; asked > 0)
      AppendSetting(kSenderTimeout, absl::StrCat(asked), out);
  }
  AppendSetting(kArrived, "1", out);
  return out;
}

SessionSettings SettingsOf(const ConnectionOptions& options, int server_version) {
  SessionSettings settings;
  // First, so that the rest is not cut short.
  for (const Setting& setting : kTimeoutSettings)
    settings.emplace_back(setting.name, setting.value);
  for (const Setting& setting : kTextSettings) {
    if (options.keep_lc_monetary && absl::string_view(setting.name) == "lc_monetary") continue;
    settings.emplace_back(setting.name, setting.value);
  }
  if (server_version < kShortestFloats) settings.emplace_back("extra_float_digits", "3");
  if (server_version >= kTransactionTimeout) settings.emplace_back("transaction_timeout", "0");
  if (!options.keep_search_path) settings.emplace_back("search_path", "pg_catalog");
  if (options.kind == SessionKind::kSql) {
    settings.emplace_back("row_security", "off");
  } else {
    settings.emplace_back(kStreamSetting.name, kStreamSetting.value);
    if (const int64_t asked = sender_timeout_ms; asked > 0)
      settings.emplace_back(kSenderTimeout, absl::StrCat(asked));
  }
  return settings;
}

std::vector<std::pair<const char*, std::string>> ConnectionParameters(
    const ConnectionOptions& options, bool kerberos) {
  const DatabaseOptions& database = options.database;
  std::vector<std::pair<const char*, std::string>> parameters = {
      {"host", database.hostname},
      {"port", database.port},
      {"target_session_attrs", database.target_session_attrs},
      {"user", database.user},
      {"dbname", database.dbname},
      {"application_name", options.application_name},
      {"client_encoding", "UTF8"},
  };
  if (options.startup_options) parameters.emplace_back("options", StartupOptions(options));
  // An absent value leaves libpq its own default: a password from .pgpass, certificates from
  // ~/.postgresql.
  const auto add_if_given = [&](const char* keyword, const std::string& value) {
    if (!value.empty()) parameters.emplace_back(keyword, value);
  };
  add_if_given("password", database.password);
  add_if_given("sslmode", database.sslmode);
  add_if_given("sslcert", database.sslcert);
  add_if_given("sslkey", database.sslkey);
  add_if_given("sslpassword", database.sslpassword);
  add_if_given("sslrootcert", database.sslrootcert);
  if (!kerberos) parameters.emplace_back("gssencmode", "disable");
  if (options.kind == SessionKind::kReplication) parameters.emplace_back("replication", "database");
  if (database.tcp_keepalive) {
    for (const Setting& setting : kKeepalives) parameters.emplace_back(setting.name, setting.value);
  } else {
    parameters.emplace_back("keepalives", "0");
  }
  return parameters;
}

// PgBouncer passes `options` on for a replication connection, and in front of them its own idea of
// DateStyle, IntervalStyle and TimeZone, which wins. So all is set again where the session is ours.
std::string SessionQuestion(const ConnectionOptions& options, int server_version) {
  std::string set;
  for (const auto& [name, value] : SettingsOf(options, server_version))
    absl::StrAppend(&set, ", pg_catalog.set_config('", name, "', '", value, "', false)");
  if (server_version >= kIdleSessionTimeout)
    absl::StrAppend(&set, ", pg_catalog.set_config('idle_session_timeout', '0', false)");
  // backend_type is told to the role alone that has logged in, which the session may not be any
  // more (ALTER ROLE … SET role).
  const bool sql = options.kind == SessionKind::kSql;
  const std::string ours =
      sql ? absl::StrCat("pg_catalog.current_setting('", kArrived, "', true) = '1'")
          : std::string(
                "EXISTS (SELECT FROM pg_catalog.pg_stat_get_wal_senders() w "
                "WHERE w.pid = pg_catalog.pg_backend_pid())");
  return absl::StrCat(
      "SET LOCAL statement_timeout = 0; SELECT pg_catalog.pg_backend_pid(), CASE WHEN ", ours,
      " THEN pg_catalog.concat('ours'", set, ") END");
}

}  // namespace walduct::postgres
