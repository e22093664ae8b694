#include "outbox/init_sql.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "postgres/connection.h"

namespace walduct::outbox {
namespace {

using postgres::QuoteIdentifier;
using postgres::QuoteLiteral;
using postgres::QuoteQualified;

constexpr absl::string_view kTable = R"(
-- Debezium's default layout. created_at is for housekeeping; aggregatetype becomes part of a topic's name.
CREATE TABLE {table} (
  id            uuid         NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
  aggregatetype varchar(255) NOT NULL CHECK (aggregatetype ~ '^[A-Za-z0-9._-]{1,200}$'),
  aggregateid   varchar(255) NOT NULL,
  type          varchar(255) NOT NULL,
  payload       jsonb,
  created_at    timestamptz  NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX ON {table} (created_at);
)";

constexpr absl::string_view kPartitioned = R"(
-- Debezium's default layout, one partition a day (UTC). Rows are only ever inserted: old days are dropped whole.
CREATE TABLE {table} (
  id            uuid         NOT NULL DEFAULT gen_random_uuid(),
  aggregatetype varchar(255) NOT NULL CHECK (aggregatetype ~ '^[A-Za-z0-9._-]{1,200}$'),
  aggregateid   varchar(255) NOT NULL,
  type          varchar(255) NOT NULL,
  payload       jsonb,
  created_at    timestamptz  NOT NULL DEFAULT now(),
  PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);

-- Takes what no other partition does, so that an insert never fails for want of one.
CREATE TABLE {default_partition} PARTITION OF {table} DEFAULT;

-- Makes the partitions of today and the days ahead that are missing. Run it every day, for example with pg_cron. A day whose
-- first rows came before its partition stays in the default partition.
CREATE FUNCTION {add_partitions}(days_ahead integer) RETURNS void LANGUAGE plpgsql AS $walduct$
DECLARE
  day date;
BEGIN
  FOR ahead IN 0..days_ahead LOOP
    day := (now() AT TIME ZONE 'UTC')::date + ahead;
    BEGIN
      EXECUTE format('CREATE TABLE IF NOT EXISTS %I.%I PARTITION OF %s FOR VALUES FROM (%L) TO (%L)',
                     {schema_literal}, {table_literal} || to_char(day, '_YYYYMMDD'), {relation_literal},
                     to_char(day, 'YYYY-MM-DD 00:00:00+00'), to_char(day + 1, 'YYYY-MM-DD 00:00:00+00'));
    EXCEPTION WHEN check_violation THEN
      RAISE WARNING 'no partition for %: rows of that day are in the default partition', day;
    END;
  END LOOP;
END
$walduct$;
REVOKE EXECUTE ON FUNCTION {add_partitions}(integer) FROM PUBLIC;
SELECT {add_partitions}(14);
)";

// Of both tables that are polled.
constexpr absl::string_view kPolledColumns =
    R"(  id            bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id      uuid         NOT NULL DEFAULT gen_random_uuid(),
  aggregatetype varchar(255) NOT NULL CHECK (aggregatetype ~ '^[A-Za-z0-9._-]{1,200}$'),
  aggregateid   varchar(255) NOT NULL,
  type          varchar(255) NOT NULL,
  payload       jsonb,
  created_at    timestamptz  NOT NULL DEFAULT now(),)";

constexpr absl::string_view kPoll = R"(
-- Polled by walduct, without a slot. Rows are marked in published_at; half of each page is left for that. A row that cannot be
-- published is counted in attempts, says why in last_error, and waits until next_try_at.
CREATE TABLE {table} (
{polled_columns}
  published_at  timestamptz,
  attempts      integer      NOT NULL DEFAULT 0,
  last_error    text,
  next_try_at   timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- What is to be published, and the few rows that hold others of their key back. Nothing is indexed that a failed attempt changes.
CREATE INDEX ON {table} (id) WHERE published_at IS NULL;
CREATE INDEX ON {table} (aggregateid, id) WHERE published_at IS NULL AND (attempts > 0 OR next_try_at IS NOT NULL);
)";

constexpr absl::string_view kPosition = R"(
-- Polled by walduct, without a slot, and never written by it: xact tells which rows became visible between two looks.
CREATE TABLE {table} (
{polled_columns}
  xact          xid8         NOT NULL DEFAULT pg_current_xact_id()
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX ON {table} (xact);
)";

constexpr absl::string_view kWake = R"(
-- To be woken at once, in place of within walduct.outbox.poll.interval.ms. What it costs: all commits of the server that notify are made
-- one after the other (with 32 writers a fourth of the commits a second that there are without, a twentieth on a busy disk), and a
-- transaction that has notified cannot be prepared (PREPARE TRANSACTION). --wake makes this trigger where that cannot be.
--   CREATE FUNCTION {wake}() RETURNS trigger LANGUAGE plpgsql AS $walduct$
--   BEGIN
--     PERFORM pg_catalog.pg_notify('walduct_outbox', '');
--     RETURN NULL;
--   END
--   $walduct$;
--   CREATE TRIGGER walduct_wake AFTER INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {wake}();
)";

constexpr absl::string_view kMakeWake = R"(
-- Wakes walduct at once, in place of within walduct.outbox.poll.interval.ms. What it costs: all commits of the server that notify are made
-- one after the other (with 32 writers a fourth of the commits a second that there are without, a twentieth on a busy disk). A transaction
-- that has notified cannot be prepared (PREPARE TRANSACTION): where the server takes those, there is no trigger.
DO $walduct$
BEGIN
  IF pg_catalog.current_setting('max_prepared_transactions')::integer > 0 THEN
    RAISE WARNING 'no trigger that wakes walduct: max_prepared_transactions is %, and a transaction that has notified cannot be prepared',
      pg_catalog.current_setting('max_prepared_transactions')
      USING HINT = 'new rows are found within walduct.outbox.poll.interval.ms; with max_prepared_transactions=0 run this script''s last block again';
    RETURN;
  END IF;
  CREATE FUNCTION {wake}() RETURNS trigger LANGUAGE plpgsql AS $wake$
  BEGIN
    PERFORM pg_catalog.pg_notify('walduct_outbox', '');
    RETURN NULL;
  END
  $wake$;
  CREATE TRIGGER walduct_wake AFTER INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {wake}();
END
$walduct$;
)";

constexpr absl::string_view kRole = R"(
-- The role walduct connects as. Its password: ALTER ROLE {role} PASSWORD '…', or psql's \password.
DO $walduct$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = {role_literal}) THEN
    CREATE ROLE {role} LOGIN{replication};
  END IF;
END
$walduct$;
)";

constexpr absl::string_view kDeleteGrants =
    "-- Housekeeping deletes rows; locking them first wants UPDATE on a column.\n"
    "GRANT DELETE, UPDATE (id) ON {table} TO {role};\n";

constexpr absl::string_view kOwnerGrants = R"(
-- Housekeeping drops partitions, which only their owner may.
GRANT CREATE ON SCHEMA {schema} TO {role};
ALTER FUNCTION {add_partitions}(integer) OWNER TO {role};
ALTER FUNCTION {add_partitions}(integer) SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
DO $walduct$
DECLARE
  part regclass;
BEGIN
  FOR part IN SELECT relid FROM pg_catalog.pg_partition_tree({relation_literal}) LOOP
    EXECUTE format('ALTER TABLE %s OWNER TO {role_in_format}', part);
  END LOOP;
END
$walduct$;
)";

constexpr absl::string_view kTableExample = R"(BEGIN;
-- Your own rows first, in the same transaction: both are committed, or neither.
INSERT INTO {table} (aggregatetype, aggregateid, type, payload)
VALUES ('Order', '10', 'OrderPlaced', '{"orderId": 10, "customer": "c7", "total": "99.90"}');
COMMIT;
)";

constexpr absl::string_view kMessageExample = R"(BEGIN;
-- Your own rows first, in the same transaction; `true` ties the message to it: both are committed, or neither.
SELECT pg_catalog.pg_logical_emit_message(true, {prefix_literal}, json_build_object(
  'id', gen_random_uuid(), 'aggregatetype', 'Order', 'aggregateid', '10', 'type', 'OrderPlaced',
  'payload', json_build_object('orderId', 10, 'customer', 'c7', 'total', '99.90'))::text);
COMMIT;
)";

constexpr absl::string_view kInbox =
    R"(-- What each consumer has handled, in the database that holds its effects.
BEGIN;
CREATE TABLE {inbox} (
  consumer   text        NOT NULL,
  message_id text        NOT NULL,
  handled_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, message_id)
);
CREATE INDEX ON {inbox} (handled_at);
COMMIT;

-- For each record, in one transaction with its effect. No row comes back: it was handled before, leave the effect out.
--   INSERT INTO {inbox} (consumer, message_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1
-- Keep rows longer than the topic keeps records, and longer than any replay reaches back.
--   DELETE FROM {inbox} WHERE handled_at < now() - interval '30 days'
)";

std::string Fill(absl::string_view text, const InitOptions& options) {
  const std::string relation = QuoteQualified(options.schema, options.table);
  // format() takes '%' for its own.
  const std::string role_in_format =
      absl::StrReplaceAll(QuoteIdentifier(options.role), {{"%", "%%"}, {"'", "''"}});
  return absl::StrReplaceAll(
      text, {{"{table}", relation},
             {"{default_partition}",
              QuoteQualified(options.schema, absl::StrCat(options.table, "_default"))},
             {"{add_partitions}",
              QuoteQualified(options.schema, absl::StrCat(options.table, "_add_partitions"))},
             {"{wake}", QuoteQualified(options.schema, absl::StrCat(options.table, "_wake"))},
             {"{relation_literal}", QuoteLiteral(relation)},
             {"{schema}", QuoteIdentifier(options.schema)},
             {"{schema_literal}", QuoteLiteral(options.schema)},
             {"{table_literal}", QuoteLiteral(options.table)},
             {"{inbox}", QuoteQualified(options.schema, options.inbox_table)},
             {"{publication}", QuoteIdentifier(options.publication)},
             {"{polled_columns}", kPolledColumns},
             {"{replication}", IsPolled(options.flavour) ? "" : " REPLICATION"},
             {"{role}", QuoteIdentifier(options.role)},
             {"{role_literal}", QuoteLiteral(options.role)},
             {"{role_in_format}", role_in_format},
             {"{application}", options.application_role.empty()
                                   ? "your_application"
                                   : QuoteIdentifier(options.application_role)},
             {"{prefix_literal}", QuoteLiteral(options.message_prefix)}});
}

absl::string_view Relations(Flavour flavour) {
  switch (flavour) {
    case Flavour::kMessage:
      return "";
    case Flavour::kPartitioned:
      return kPartitioned;
    case Flavour::kPoll:
      return kPoll;
    case Flavour::kPosition:
      return kPosition;
    case Flavour::kTable:
      break;
  }
  return kTable;
}

// Before the slot: what is written earlier is in no publication.
absl::string_view Publication(Flavour flavour) {
  if (IsPolled(flavour)) return "";
  if (flavour == Flavour::kMessage) {
    return "\n-- Messages need no table in the publication, only a publication.\n"
           "CREATE PUBLICATION {publication};\n";
  }
  if (flavour == Flavour::kPartitioned) {
    return "\n-- Partitions appear under the table's own name; only inserts are decoded and sent.\n"
           "CREATE PUBLICATION {publication} FOR TABLE {table}\n"
           "  WITH (publish = 'insert', publish_via_partition_root = true);\n";
  }
  return "\n-- Only inserts are decoded and sent: deleting old rows costs the stream nothing.\n"
         "CREATE PUBLICATION {publication} FOR TABLE {table} WITH (publish = 'insert');\n";
}

std::string Grants(const InitOptions& options) {
  if (options.flavour == Flavour::kMessage) return "";
  std::string out =
      "GRANT USAGE ON SCHEMA {schema} TO {role};\n"
      "GRANT SELECT ON {table} TO {role};\n";
  if (options.flavour == Flavour::kPoll)
    absl::StrAppend(&out,
                    "GRANT UPDATE (published_at, attempts, last_error, next_try_at) ON {table} TO "
                    "{role};\n");
  const absl::string_view comment = options.application_role.empty() ? "-- " : "";
  absl::StrAppend(&out, "\n-- The application writes and reads nothing.\n", comment,
                  "GRANT USAGE ON SCHEMA {schema} TO {application};\n", comment,
                  "GRANT INSERT ON {table} TO {application};\n");
  if (!options.cleanup) return out;
  absl::StrAppend(&out, options.flavour == Flavour::kPartitioned ? kOwnerGrants : kDeleteGrants);
  return out;
}

}  // namespace

std::string InitSql(const InitOptions& options) {
  const std::string script = absl::StrCat(
      "-- An outbox for walduct. Run it once, as a superuser or the owner of the "
      "database.\nBEGIN;\n",
      Relations(options.flavour), Publication(options.flavour), kRole, Grants(options), "COMMIT;\n",
      options.wake ? kMakeWake : "", IsPolled(options.flavour) && !options.wake ? kWake : "");
  return Fill(script, options);
}

std::string ExampleSql(const InitOptions& options) {
  return Fill(options.flavour == Flavour::kMessage ? kMessageExample : kTableExample, options);
}

std::string InboxSql(const InitOptions& options) { return Fill(kInbox, options); }

}  // namespace walduct::outbox
