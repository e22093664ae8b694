#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "libnats_missing",
     .meaning = "libnats, which speaks to NATS, is not installed, or too old.",
     .remedy = "Install the package libnats3.4 (Debian 12), or libnats 3.4 or later."},
    {.name = "nats_authentication_failed",
     .meaning = "NATS refuses the login, or wants one.",
     .remedy = "Check sink.nats-jetstream.auth.user and .password, .auth.jwt and .seed, or "
               "walduct.sink.nats.credentials.path, .nkey.path, .token."},
    {.name = "nats_bad_nkey",
     .meaning = "A file holds no seed of a user's NKey.",
     .remedy = "It has a line that begins with SU, as nk -gen user prints it."},
    {.name = "nats_bad_options",
     .meaning = "libnats does not take the value of a property.",
     .remedy = "The message names the property: check its value."},
    {.name = "nats_busy",
     .meaning = "JetStream has no leader at the moment, or answers that it is not ready.",
     .remedy = "It waits. nats server report jetstream says how the cluster is."},
    {.name = "nats_header_refused",
     .meaning = "A header's name or value has a character that NATS does not take.",
     .remedy = "Rename it with a transform, or write headers as JSON. errors.tolerance says what "
               "becomes of the record."},
    {.name = "nats_message_too_large",
     .meaning = "A record is larger than max_payload of the server or max_msg_size of its stream.",
     .remedy = "Raise the limit. walduct.errors.too.large says what becomes of the record."},
    {.name = "nats_no_acknowledgements",
     .meaning = "The stream acknowledges nothing (no_ack): whether it has a record nobody knows.",
     .remedy = "nats stream edit NAME --ack."},
    {.name = "nats_no_jetstream",
     .meaning = "The server, or the account, has no JetStream.",
     .remedy = "Enable it: jetstream { store_dir: … }, and jetstream: enabled of the account."},
    {.name = "nats_no_resources",
     .meaning = "The server or the account has no memory or storage left for streams.",
     .remedy = "Raise its limits, or purge streams. It waits."},
    {.name = "nats_no_stream",
     .meaning = "No stream takes the subject, or JetStream is away.",
     .remedy = "Make one: nats stream add, or sink.nats-jetstream.create-stream=true. It waits."},
    {.name = "nats_out_of_turn",
     .meaning = "Somebody else writes to the stream, so that a message was not its last.",
     .remedy = "It goes on by itself, slower: a stream is best written by one."},
    {.name = "nats_permission_denied",
     .meaning = "The user lacks a right.",
     .remedy =
         "It publishes to the subjects, subscribes to _INBOX.walduct.>, and to create or look "
         "for streams publishes to $JS.API.STREAM.>."},
    {.name = "nats_refused",
     .meaning = "JetStream refused a message for a reason that has no name here.",
     .remedy = "The message has its own words and its number."},
    {.name = "nats_stores_acknowledgements",
     .meaning = "doctor: the subjects of a stream take the answers to us, which it then stores.",
     .remedy = "Give it narrower subjects, such as the topics' prefix and .>."},
    {.name = "nats_stream_differs",
     .meaning = "The stream to create is there with other subjects or another storage, or another "
                "one has some of its subjects.",
     .remedy = "Write them as the stream has them (nats stream info), or "
               "sink.nats-jetstream.create-stream=false."},
    {.name = "nats_stream_full",
     .meaning = "The stream is full and drops nothing (discard=new), or it is sealed.",
     .remedy = "Make room: nats stream purge, or raise its limits. It waits."},
    {.name = "nats_tls_failed",
     .meaning = "TLS with NATS cannot be set up.",
     .remedy = "Write tls:// where the server has TLS, name its authority in "
               "walduct.sink.nats.tls.truststore.path, and its host as the certificate has it."},
    {.name = "nats_unavailable",
     .meaning = "NATS cannot be reached, closed the connection, or does not acknowledge in time.",
     .remedy = "Check that it runs, and sink.nats-jetstream.url. It connects again and again; the "
               "slot keeps the WAL."},
};

}  // namespace

absl::Span<const Reason> NatsReasons() { return kRows; }

}  // namespace walduct::admin
