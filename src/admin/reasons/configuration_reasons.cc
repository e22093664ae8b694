#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "bad_date_format",
     .meaning = "A date format cannot be read.",
     .remedy = "Java's SimpleDateFormat: yyyy-MM-dd'T'HH:mm:ss.SSS."},
    {.name = "bad_expression",
     .meaning = "A condition cannot be read.",
     .remedy = "docs/transforms.md: expressions."},
    {.name = "bad_json",
     .meaning = "A file is not JSON.",
     .remedy = "The message has line and column."},
    {.name = "bad_properties",
     .meaning = "A properties file cannot be read.",
     .remedy = "The message has the line."},
    {.name = "bad_regex",
     .meaning = "A regular expression cannot be read.",
     .remedy = "It is Java's syntax; a dot is \\. in properties and \\\\. in JSON."},
    {.name = "bad_replacement",
     .meaning = "A replacement names a group that the expression lacks.",
     .remedy = "$1 … $9, ${name}."},
    {.name = "bad_yaml",
     .meaning = "A file is not YAML, or not one of the known forms.",
     .remedy = "docs/forms.md."},
    {.name = "configuration_refused",
     .meaning = "A worker has a connector whose configuration cannot be loaded: a value is "
                "refused, or a file that it refers to is not there. REST takes some of these, as "
                "Kafka Connect does, and the task fails. Its slot goes on keeping WAL.",
     .remedy = "Put right what the message names, then restart the connector."},
    {.name = "connector_exists",
     .meaning = "A connector of this name runs already.",
     .remedy = "Choose another name."},
    {.name = "command_refused",
     .meaning = "The running process did not do what it was told.",
     .remedy = "The message is the process's own; walduct status lists its connectors."},
    {.name = "command_without_effect",
     .meaning = "The connector was told, and did not come to the state that was meant within three "
                "quarters of a minute, or failed.",
     .remedy = "walduct status NAME says what it waits for."},
    {.name = "connector_running",
     .meaning = "Offsets can be changed only while the connector does not run.",
     .remedy = "Stop it first."},
    {.name = "connector_unknown",
     .meaning = "No connector has this name.",
     .remedy = "walduct status lists them."},
    {.name = "debezium_server",
     .meaning = "Debezium Server's configuration has something that is not supported.",
     .remedy = "docs/forms.md."},
    {.name = "demo_exists",
     .meaning = "What walduct demo would make is there already; it touches nothing of it.",
     .remedy =
         "--schema takes another name; what a demo that was killed has left is dropped as the "
         "hint says."},
    {.name = "demo_silent",
     .meaning = "The events of walduct demo have not come within a minute.",
     .remedy = "The status above says what the connector waits for."},
    {.name = "drill_exists",
     .meaning = "What walduct outbox drill would make is there already; it touches nothing of it.",
     .remedy =
         "--schema takes another name; what a drill that was killed has left is dropped as the "
         "hint says."},
    {.name = "drill_failed",
     .meaning = "Events of walduct outbox drill did not arrive within a minute, or not once and in "
                "order.",
     .remedy = "The message says which; walduct doctor -f of a connector like it looks further."},
    {.name = "group_in_use",
     .meaning =
         "The group of group.id has members of another kind, such as a Kafka Connect that runs; or "
         "another worker has this one's walduct.group.instance.id.",
     .remedy = "Stop them, or choose another group.id; give each worker an instance id of its "
               "own."},
    {.name = "group_session_refused",
     .meaning = "The brokers do not take the worker's session in its group: it is below their "
                "group.min.session.timeout.ms, or above their group.max.session.timeout.ms.",
     .remedy = "Set session.timeout.ms and heartbeat.interval.ms of the worker files as the hint "
               "says (workers that share), or change the brokers' limits."},
    {.name = "http_unreachable",
     .meaning = "A server that is asked over HTTP does not answer.",
     .remedy = "Check the URL of the message and proxies."},
    {.name = "listen_failed",
     .meaning = "The address cannot be listened on.",
     .remedy = "Choose another port, or end the process that has it: ss -ltnp."},
    {.name = "listener_tls",
     .meaning = "Key and certificate of an https listener cannot be used together.",
     .remedy = "Check that the certificate in listeners.https.ssl.keystore.location belongs to "
               "its key."},
    {.name = "no_last_end",
     .meaning = "Nobody answers, and nothing is known of how the connector ended: it has not run "
                "here, or not by walduct run.",
     .remedy = "Start it; the end of its log says how the last one ended."},
    {.name = "not_walduct",
     .meaning =
         "A process answers at the URL, and is no walduct: a worker of Kafka Connect has the "
         "same port by default. Nothing was changed there.",
     .remedy = "--url names the walduct that is meant."},
    {.name = "other_process_answers",
     .meaning = "The process that answers at the URL runs none of the connectors of -f.",
     .remedy = "walduct status tells what is known of their end. --url names another process."},
    {.name = "owner_silent",
     .meaning = "Another worker of the group has the connector, and does not answer: its process "
                "stands still, its machine is gone, or nobody gets through to its address.",
     .remedy = "walduct status says who is a member. One that is gone is no member after "
               "session.timeout.ms, and others go on with its connectors."},
    {.name = "process_takes_no_commands",
     .meaning =
         "walduct run answers questions and takes signals; only walduct serve can be told to "
         "pause, resume, stop or restart a connector, or to change its configuration.",
     .remedy = "Stop and start the process."},
    {.name = "request_signature",
     .meaning = "A request of another worker is not signed with this group's key, and nothing was "
                "done: a worker of another group has or had this one's address, inter.worker.* "
                "differs between the workers, or somebody who is no worker asks as one.",
     .remedy = "walduct status lists the workers of the group; give each its own "
               "rest.advertised.host.name and rest.advertised.port, and all the same "
               "inter.worker.*."},
    {.name = "status_unreachable",
     .meaning = "Nobody answers at the URL: the process has ended, was never started, listens "
                "elsewhere, or is suspended.",
     .remedy = "Name with --url where it listens: run --listen HOST:PORT, or listeners in the "
               "worker file of serve. walduct status says what has ended there, walduct doctor -f "
               "FILE -w FILE what would stop a start."},
    {.name = "status_untrusted",
     .meaning = "Somebody answers at the URL, and the certificate is not trusted, or one of the "
                "caller's is asked for.",
     .remedy = "--ca FILE names the authorities (PEM) that vouch for it, --cert and --key what it "
               "asks for."},
    {.name = "table_not_found",
     .meaning = "walduct tail --table names a table that the database does not have.",
     .remedy = "The hint has names that are near; it is written schema.table."},
    {.name = "unknown_time_zone",
     .meaning = "A time zone is not known.",
     .remedy = "Europe/Berlin, +02:00, UTC."},
    {.name = "unreadable_file",
     .meaning = "A file cannot be read.",
     .remedy = "Check path and rights."},
    {.name = "unresolved_reference",
     .meaning = "${provider:…} has no such provider, file or key.",
     .remedy = "config.providers; docs/forms.md."},
};

}  // namespace

absl::Span<const Reason> ConfigurationReasons() { return kRows; }

}  // namespace walduct::admin
