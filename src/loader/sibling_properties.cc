// Properties of Debezium's connectors for other databases: the PostgreSQL connector does not know
// them, and configurations that were copied from another one have them.
#include "loader/other_properties.h"

namespace walduct::loader {
namespace {

using enum config::Support;

constexpr absl::string_view kMySql = "it belongs to Debezium's MySQL and MariaDB connectors";
constexpr absl::string_view kSqlServer = "it belongs to Debezium's SQL Server connector";
constexpr absl::string_view kOracle = "it belongs to Debezium's Oracle connector";
constexpr absl::string_view kMongo = "it belongs to Debezium's MongoDB connector";
constexpr absl::string_view kHistory = "the PostgreSQL connector keeps no schema history";
constexpr absl::string_view kDatabases =
    "Debezium 3 does not know it, and a PostgreSQL connector reads one database, database.dbname; "
    "select with schema.include.list or table.include.list";

constexpr config::PropertyDefinition Of(absl::string_view name, absl::string_view note,
                                        absl::string_view doc) {
  return {.name = name, .support = kMisplaced, .doc = doc, .note = note};
}

constexpr config::PropertyDefinition kRows[] = {
    Of("database.whitelist", kDatabases, "Databases to capture, in Debezium 1.x."),
    Of("database.blacklist", kDatabases, "Databases not to capture, in Debezium 1.x."),
    Of("schema.history.internal*", kHistory, "Schema history of other connectors."),
    Of("database.history*", kHistory, "Schema history of other connectors, in Debezium 1.x."),
    Of("database.server.id*", kMySql, "Number of the client among the server's replicas."),
    Of("database.ssl.<part>", kMySql, "TLS; for PostgreSQL see database.sslmode."),
    Of("database.jdbc.<part>", kMySql, "Java driver."),
    Of("database.protocol", kMySql, "Protocol of the Java driver."),
    Of("database.connectionTimeZone", kMySql, "Time zone of the Java driver."),
    Of("database.serverTimezone", kMySql, "Time zone of the Java driver."),
    Of("database.allowPublicKeyRetrieval", kMySql, "Setting of the Java driver."),
    Of("gtid.*", kMySql, "Selection by transaction ids."),
    Of("binlog.*", kMySql, "Reading of the binary log."),
    Of("bigint.unsigned.handling.mode", kMySql, "Values of unsigned integers."),
    Of("connect.keep.alive*", kMySql, "Probes of the connection."),
    Of("connect.timeout.ms", kMySql, "Time limit for connecting; see walduct.connect.timeout.ms."),
    Of("enable.time.adjuster", kMySql, "Years of two digits."),
    Of("inconsistent.schema.handling.mode", kMySql, "Tables without a known definition."),
    Of("min.row.count.to.stream.results", kMySql, "Reading of large tables."),
    Of("snapshot.new.tables", kMySql, "Snapshot of tables that are added."),
    Of("include.query", kMySql, "SQL statements in records."),
    Of("use.nongraceful.disconnect", kMySql, "End of the connection."),
    Of("database.names", kSqlServer, "Databases to capture; for PostgreSQL see database.dbname."),
    Of("database.instance", kSqlServer, "Instance of the server."),
    Of("database.encrypt", kSqlServer, "TLS; for PostgreSQL see database.sslmode."),
    Of("database.trustServerCertificate", kSqlServer, "TLS; see database.sslmode."),
    Of("database.applicationIntent", kSqlServer, "Reading from replicas."),
    Of("data.query.mode", kSqlServer, "Reading of change tables."),
    Of("max.iteration.transactions", kSqlServer, "Reading of change tables."),
    Of("database.pdb.name", kOracle, "Pluggable database."),
    Of("database.url", kOracle, "URL of the Java driver; for PostgreSQL see database.hostname."),
    Of("database.connection.adapter", kOracle, "How changes are read."),
    Of("database.out.server.name", kOracle, "XStream server."),
    Of("log.mining.*", kOracle, "Reading of the redo log."),
    Of("lob.enabled", kOracle, "Large objects."),
    Of("rac.nodes", kOracle, "Nodes of a cluster."),
    Of("mongodb.*", kMongo, "Connection to MongoDB."),
    Of("capture.<part>", kMongo, "Reading of change streams."),
    Of("collection.<part>.list", kMongo, "Collections; for PostgreSQL see table.include.list."),
    Of("field.exclude.list", kMongo, "Fields; for PostgreSQL see column.exclude.list."),
    Of("field.renames", kMongo, "Names of fields."),
    Of("cursor.*", kMongo, "Reading of change streams."),
};

}  // namespace

absl::Span<const config::PropertyDefinition> SiblingProperties() { return kRows; }

}  // namespace walduct::loader
