#include "postgres/database_properties.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "config/secret_source.h"
#include "java/regex/regex_list.h"
#include "postgres/host_checks.h"
#include "postgres/options.h"

namespace walduct::postgres {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr config::PropertyDefinition kConnection[] = {
    {.name = "database.hostname",
     .doc = "Host name or address (IPv6 with brackets or without) of the PostgreSQL server, or the "
            "folder of its unix socket; or several, separated by commas: of a primary and its "
            "standbys. They are tried in turn; see database.target_session_attrs.",
     .fix = "write host names, separated by commas, without port or scheme; or the folder of the "
            "server's socket, as /var/run/postgresql",
     .validator = CheckHostname,
     .required = true},
    {.name = "database.port",
     .type = kInts,
     .default_value = "5432",
     .doc =
         "Port of the PostgreSQL server; or one for each host of database.hostname, separated by "
         "commas.",
     .fix = "write a number from 1 to 65535",
     .validator = CheckPort},
    {.name = "database.target_session_attrs",
     .type = kEnum,
     .default_value = "any",
     .doc = "Which of several hosts will do, in libpq's words. With primary the connector follows "
            "a failover by itself.",
     .allowed = "any, read-write, read-only, primary, standby, prefer-standby"},
    {.name = "database.user",
     .doc = "Role to connect as; needs REPLICATION, and SELECT on the captured tables.",
     .required = true},
    {.name = "database.password",
     .type = kPassword,
     .doc =
         "Password of the role; preferably a ${file:…} or ${env:…} reference. A file is read again "
         "for each connection.",
     .secret = true},
    {.name = "database.dbname", .doc = "Database whose changes are captured.", .required = true},
    {.name = "database.query.timeout.ms",
     .type = kNonNegativeInt,
     .default_value = "600000",
     .doc = "Time limit for one SQL statement, in milliseconds; 0: no limit."},
    {.name = "database.initial.statements",
     .doc = "SQL statements, separated by ';' (';;' is a literal ';'), to run in every SQL "
            "session, but not on the replication connection."},
    {.name = "database.tcpKeepAlive",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Use TCP keep-alive probes on connections to the server.",
     .aliases = "tcpKeepAlive"},
    {.name = "database.sslmode",
     .type = kEnum,
     .default_value = "prefer",
     .doc = "TLS mode: whether TLS is required and the server's certificate is verified.",
     .allowed = "disable, allow, prefer, require, verify-ca, verify-full"},
    {.name = "database.sslcert", .doc = "File with the client certificate, PEM."},
    {.name = "database.sslkey",
     .doc = "File with the client's private key, PEM (the Java driver wants PKCS-8 DER: convert it "
            "with `openssl pkcs8`)."},
    {.name = "database.sslpassword",
     .type = kPassword,
     .doc = "Passphrase of the client's private key.",
     .secret = true},
    {.name = "database.sslrootcert",
     .doc = "File with the certificates of the trusted authorities, PEM."},
    {.name = "database.sslfactory",
     .type = kClass,
     .support = kNoEffect,
     .doc = "Java class that creates TLS sockets.",
     .note = "a Java class cannot be loaded; TLS follows database.sslmode and the ssl files"},
    {.name = "database.connection.factory.class",
     .type = kClass,
     .support = kNotYetWarned,
     .doc = "Java class that opens connections, e.g. with cloud tokens.",
     .note = "a Java class cannot be loaded; give the password through a ${file:…} reference"},
    {.name = "connection.validation.timeout.ms",
     .type = kPositiveLong,
     .default_value = "60000",
     .support = kNoEffect,
     .doc = "Time limit for the connection test during validation.",
     .note = "validation touches no server; see walduct.connect.timeout.ms"},
    {.name = "read.only",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Incremental snapshots write no watermarks: transaction ids tell what a chunk shows."},
};

constexpr absl::string_view kOneDatabase =
    "a PostgreSQL connector reads one database, database.dbname; select with schema.include.list "
    "or "
    "table.include.list";

constexpr config::PropertyDefinition kDriver[] = {
    {.name = "database.include.list",
     .type = kRegexList,
     .support = kMisplaced,
     .doc = "Databases to capture; must match database.dbname.",
     .note = kOneDatabase},
    {.name = "database.exclude.list",
     .type = kRegexList,
     .support = kMisplaced,
     .doc = "Databases not to capture; must not match database.dbname.",
     .note = kOneDatabase},
    {.name = "driver.*",
     .support = kNotYetWarned,
     .doc = "Property passed to the Java database driver.",
     .note = "walduct connects with libpq, not with the Java driver"},
    {.name = "database.*",
     .support = kNotYetWarned,
     .doc = "Other property passed to the Java database driver.",
     .note = "walduct connects with libpq, not with the Java driver",
     .suspects_misspellings = true},
};

constexpr config::PropertyDefinition kConnectTimeout[] = {
    {.name = "walduct.connect.timeout.ms",
     .type = kPositiveLong,
     .default_value = "30000",
     .doc = "Time limit for connecting to PostgreSQL."},
    {.name = "walduct.row.max.bytes",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "The largest row that is taken into memory; one that is larger stops the connector. 0: "
            "a quarter of the memory that the container or service may use, without a limit where "
            "that has none."},
};

// Statements end at ';'; ";;" is a literal one.
std::vector<std::string> SplitStatements(absl::string_view text) {
  std::vector<std::string> statements;
  std::string statement;
  const auto finish = [&] {
    const absl::string_view trimmed = absl::StripAsciiWhitespace(statement);
    if (!trimmed.empty()) statements.emplace_back(trimmed);
    statement.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ';') {
      statement += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == ';') {
      statement += ';';
      ++i;
    } else {
      finish();
    }
  }
  finish();
  return statements;
}

}  // namespace

absl::Span<const config::PropertyDefinition> ConnectionProperties() { return kConnection; }
absl::Span<const config::PropertyDefinition> DriverProperties() { return kDriver; }
absl::Span<const config::PropertyDefinition> ConnectTimeoutProperties() { return kConnectTimeout; }

void CheckDatabases(const config::PropertySet& properties, config::Findings* findings) {
  const std::string database = properties.Text("database.dbname");
  const auto matches = [&](absl::string_view list) {
    const absl::StatusOr<java::RegexList> parsed = java::RegexList::Parse(properties.Text(list));
    return parsed.ok() && parsed->Matches(database);
  };
  constexpr absl::string_view kInclude = "database.include.list";
  constexpr absl::string_view kExclude = "database.exclude.list";
  if (properties.IsSet(kInclude) && !matches(kInclude)) {
    findings->Error(*properties.Find(kInclude),
                    absl::StrCat("leaves out the database that is read, '", database, "'"),
                    "remove it, or correct database.dbname");
  }
  if (properties.IsSet(kExclude) && matches(kExclude)) {
    findings->Error(*properties.Find(kExclude),
                    absl::StrCat("names the database that is read, '", database, "'"),
                    "remove it, or correct database.dbname");
  }
}

DatabaseOptions BuildDatabase(const config::PropertySet& properties) {
  DatabaseOptions database;
  database.hostname = HostsForLibpq(properties.Text("database.hostname"));
  database.port = properties.Text("database.port");
  database.target_session_attrs = properties.Text("database.target_session_attrs");
  database.user = properties.Text("database.user");
  database.password = properties.Text("database.password");
  database.password_source = config::ReadAgain(properties, "database.password");
  database.password_of_environment = config::IsOfEnvironment(properties, "database.password");
  database.dbname = properties.Text("database.dbname");
  database.sslmode = properties.Text("database.sslmode");
  database.sslcert = properties.Text("database.sslcert");
  database.sslkey = properties.Text("database.sslkey");
  database.sslpassword = properties.Text("database.sslpassword");
  database.sslrootcert = properties.Text("database.sslrootcert");
  database.tcp_keepalive = properties.Boolean("database.tcpKeepAlive");
  database.query_timeout = properties.Milliseconds("database.query.timeout.ms");
  database.connect_timeout = properties.Milliseconds("walduct.connect.timeout.ms");
  database.row_max_bytes = static_cast<uint64_t>(properties.Integer("walduct.row.max.bytes"));
  database.initial_statements = SplitStatements(properties.Text("database.initial.statements"));
  return database;
}

}  // namespace walduct::postgres
