"""Fixtures of the end-to-end tests. Servers are shared by the whole run; every test has its own databases, slots and topic
prefixes, so any number of workers may run side by side."""
import os

import pytest

os.environ.setdefault("SERVERS_SHORT_LIVED", "1")

from support import servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties  # noqa: E402
from support.kafka import sweep, sweep_afterwards  # noqa: E402
from support.paths import BINARY  # noqa: E402
from support.recovery import Scene  # noqa: E402
from support.restored import ARCHIVED  # noqa: E402
from support.sanitizers import reports_in  # noqa: E402
from support.wait import wait_until  # noqa: E402

MEMBERSHIP = pytest.StashKey()

# Most of a minute, or more: none is left for the end. Many of them wait most of the time, so they do not run all at once either.
LONG = ("test_any_number_after_any_other_with_kills_at_each_step", "test_every_effect_once",
        "test_FAIL_09_10_SNK_02_broker_stopped", "test_FAIL_03_postgres_restarted", "test_FAIL_14_fifty_kills",
        "test_walduct_and_debezium_take_over", "test_backlog_within_bounds", "test_kafka_is_away_for_longer_than_the_seats_session",
        "test_broker_that_is_stuck", "test_each_answer_is_short_once", "test_killed_while_it_reads_a_standby",
        "test_FAIL_07_snapshot_that_begins_again", "test_answers_of_a_group_are_those_of_kafka_connect", "test_positions_that_cannot_be_stored",
        "test_killed_again_and_again", "test_a_broker_that_was_frozen_for_longer_than_its_session")


# A RabbitMQ of a test's own takes ten seconds to start; a sink is away for ten minutes.
SINKS = ("test_rabbitmq_is_away_and_back", "test_amqps_with_certificates_on_both_sides", "test_an_alarm_is_waited_for",
         "test_what_is_taken_away_is_waited_for", "test_the_server_is_disturbed_again_and_again[rabbitmq-killed]",
         "test_the_server_is_disturbed_again_and_again[rabbitmq-restarted]", "test_the_server_is_disturbed_again_and_again[rabbitmq-paused]",
         *(f"test_a_sink_is_away_for_long[{sink}]" for sink in ("redis", "nats-jetstream", "rabbitmq", "http", "kinesis", "sqs", "sns")))
# One way of each sink stays.
REFUSED = (*(f"test_redis_refuses_one_in_ten[{way}-{ids}]" for way in ("no-memory", "replica", "no-permission", "no-replicas", "no-disk", "close", "lost")
             for ids in ("auto", "position") if (way, ids) not in (("no-memory", "position"), ("lost", "auto"))),
           *(f"test_nats_refuses_one_in_ten[{way}]" for way in ("no-room", "nobody", "close", "lost")),
           *(f"test_rabbitmq_refuses_again_and_again[{way}]" for way in ("full-1", "full-1024", "unbound-1")),
           *(f"test_snapshots_by_signal_under_writers[{kind}]" for kind in ("nats-jetstream", "rabbitmq", "kinesis", "sqs", "sns")),
           "test_a_replica_is_promoted[dead]",
           *(f"test_killed_again_and_again[{kind}]" for kind in ("Sqs", "SqsFifo", "Sns", "SnsFifo")))
# A shorter test of the same kind runs in their place; these run when they are asked for: by a path with '::', by -k, or all of
# them with E2E=all.
BY_NAME = ("test_connectors_are_shared_whatever_ends_a_worker[plain]",
           "test_connectors_are_shared_whatever_ends_a_worker[exactly_once]",
           "test_a_worker_with_a_name_of_its_own_comes_back_to_its_connectors", "test_many_connectors_under_faults_of_every_kind",
           "test_rest_tells_the_truth_while_workers_are_restarted",
           "test_workers_that_share_go_over_to_connect_and_back", "test_signatures_and_keys_are_those_of_kafka_connect",
           "test_a_worker_that_has_only_the_last_key_is_asked_and_answers",
           "test_connectors_of_every_kind_move[ends]", "test_connectors_of_every_kind_move[stands still]",
           "test_who_polls_and_is_silent_has_its_tables_no_more[direct]", "test_who_polls_and_is_silent_has_its_tables_no_more[pooled]",
           "test_one_version_to_the_next_and_back_while_it_runs",
           "test_many_connectors_stream_again_after_a_kill",
           "test_a_library_s_table",  # over tables that are not of this tree; test_outbox_families.py has its own
           "test_who_keeps_dead_rows_for_long_is_told", "test_a_prepared_transaction_that_keeps_them_is_named",
           "test_each_recorded_event_is_that_of_a_poll", "test_all_go_wrong",
           "test_idle_slot_beside_a_busy_database", "test_every_effect_once[envelope]", "test_each_answer_is_short_once[rows]",
           "test_SLT_02_slot_in_use_outlasts_wal_sender_timeout[paused]", "test_replicas_that_are_missing",
           "test_lock_on_a_captured_table[without]", "test_cpu_without_a_broker[broker-away-topic]",
           "test_cpu_without_a_broker[control-topic]", "test_killed_again_and_again[quiet]",
           "test_any_number_after_any_other_with_kills_at_each_step[pg15]", "test_a_clean_hand_over_repeats_and_reads_nothing[pg15]",
           "test_a_clean_hand_over_repeats_and_reads_nothing[pg17]", "test_rows_of_a_standby_under_load[15]",
           "test_cuts_keep_a_slot_that_whole_segments_kill[16]", "test_cuts_keep_a_slot_that_whole_segments_kill[17]",
           "test_prunings_that_follow_at_once[16]", "test_prunings_that_follow_at_once[17]",
           "test_what_is_published_is_what_the_slot_would_have_given[16]",
           "test_what_is_published_is_what_the_slot_would_have_given[17]", "test_both_are_killed_again_and_again",
           "test_a_failover_to_a_standby_without_the_slot",
           "test_what_differs_is_published_and_nothing_else[16]", "test_what_differs_is_published_and_nothing_else[17]",
           "test_what_a_recovery_waits_for_is_said", "test_another_clusters_backup", "test_then_the_tables_are_read",
           "test_a_full_disk_and_a_replay_that_stands", "test_a_transaction_that_was_left_open_holds_nobody_up",
           "test_a_replay_that_is_killed", "test_what_cannot_be_replayed", "test_a_gap_of_many_changes", "test_a_gap_of_many_changes_exactly_once",
           "test_how_fast_a_gap_is", "test_replay_of_many_transactions",
           "test_a_drill_gets_the_gap_back[18]",
           "test_records_are_where_PostgreSQL_says[16]", "test_records_are_where_PostgreSQL_says[17]",
           "test_the_standby_is_promoted_while_it_is_read",
           "test_another_configuration_keeps_it_and_what_is_erased_is_forgotten[by name]",
           "test_contract_of_sinks_on_a_server",  # of AWS: minutes of moto's; recordings and faults stay
           "test_each_answer_is_short_once[column]", "test_any_number_after_any_other_with_kills_at_each_step[pg17]",
           "test_cpu_without_a_broker[control-file]", "test_paused_with_a_full_queue[control-file]",
           "test_paused_with_a_full_queue[control-topic]", "test_stream_lost_while_kafka_was_away[full-file]",
           "test_stream_lost_while_kafka_was_away[room-topic]", "test_a_slot_that_was_moved_on_is_told[False]",
           "test_the_topics_are_the_tables_after_kills[insert_insert]", "test_the_topics_are_the_tables_after_kills[read_only]",
           "test_a_million_rows_on_two_cores", "test_cleanup_policy_that_is_changed_while_it_runs",
           "test_a_broker_comes_back_with_empty_logs", *SINKS, *REFUSED)


def pytest_configure(config):
    if not BINARY.exists():
        raise pytest.UsageError(f"{BINARY} is missing; run scripts/build release")
    if not hasattr(config, "workerinput"):  # not in xdist's workers
        config.stash[MEMBERSHIP] = servers.join_run()


def pytest_unconfigure(config):
    if MEMBERSHIP in config.stash:
        servers.leave_run(config.stash[MEMBERSHIP])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import WorkStealingScheduling
    return WorkStealingScheduling(config, log)


def leave_out_by_name(config, items):
    asked = config.option.keyword or any("::" in str(argument) for argument in config.args)
    if os.environ.get("E2E") == "all" or asked:
        return
    left_out = [item for item in items if item.name in BY_NAME or item.originalname in BY_NAME]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


def pytest_collection_modifyitems(config, items):
    leave_out_by_name(config, items)
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    long = sorted((i for i in items if i.originalname in LONG), key=lambda i: LONG.index(i.originalname))
    short = [i for i in items if i.originalname not in LONG]
    share = -(-len(items) // workers)
    ordered = []
    for worker in range(workers):
        mine = long[worker::workers]
        others, short = short[:share - len(mine)], short[share - len(mine):]
        ordered += with_long(others, mine, worker / workers)
    items[:] = ordered + short


def with_long(others, long, shift):
    """A worker's queue: the long ones at even distances in its first half; shift: of one distance."""
    distance = len(others) / 2 / max(1, len(long))
    queue, begin = [], 0
    for number, item in enumerate(long):
        end = round((number + shift) * distance)
        queue += [*others[begin:end], item]
        begin = end
    return queue + others[begin:]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    made = item.funcargs.get("connectors") if hasattr(item, "funcargs") else None
    if report.failed and made is not None:
        for connector in made.all:
            if connector.log.exists():
                report.sections.append((f"log of {connector.dir.name}", connector.log.read_text(errors="replace")[-4000:]))
    return report


# --- servers ---

@pytest.fixture(scope="session")
def pg15():
    return servers.shared("pg15", postgres=15).postgres


@pytest.fixture(scope="session")
def pg17():
    return servers.shared("pg17", postgres=17).postgres


@pytest.fixture(scope="session")
def pg18():
    return servers.shared("pg18", postgres=18).postgres


@pytest.fixture(params=[15, 17, 18], ids=["pg15", "pg17", "pg18"])
def each_pg(request):
    """The three versions, one after the other."""
    return request.getfixturevalue(f"pg{request.param}")


@pytest.fixture(scope="session")
def broker():
    """Bootstrap address of the shared Kafka, which creates topics by itself."""
    return sweep_afterwards(servers.shared("kafka", kafka=True).bootstrap)


@pytest.fixture(scope="session")
def strict_broker():
    """A Kafka that creates no topic by itself."""
    return sweep_afterwards(servers.shared("kafka-strict", kafka=True, kafka_set={"auto.create.topics.enable": "false"}).bootstrap)


@pytest.fixture
def private_servers():
    """Makes servers of this test's own, with what settings it likes; they may be stopped and restarted."""
    made = []

    def make(**what):
        made.append(servers.private(**what))
        return made[-1]
    yield make
    for one in made:
        one.remove()


# --- databases ---

@pytest.fixture
def databases(private_servers):  # named so that databases go before their servers
    """Makes databases; drops them and their slots afterwards, and what topics are named after them."""
    made = []

    def make(server):
        made.append(server.database().create().hand_over())
        return made[-1]
    yield make
    if made:
        sweep(*(one.name for one in made))
    for one in made:
        one.drop()


@pytest.fixture
def db(databases, pg15):
    return databases(pg15)


# --- the process ---

@pytest.fixture(autouse=True)
def sanitizer_reports(tmp_path):
    with reports_in(tmp_path / "sanitizer"):
        yield


class ConnectorFactory:
    def __init__(self, directory, broker):
        self.directory, self.broker, self.all, self.databases = directory, broker, [], []

    def __call__(self, database, config=None, worker=None, sink="kafka", name=None, superuser=None):
        """A connector for one database, not started: filtered publication, schema public, JSON without schemas, offsets
        in a file, everything named after the database. It has the rights of docs/security.md and no others; only a superuser may
        create a publication for all tables, and what else needs one says so with superuser=True."""
        if superuser is None:
            superuser = not database.has_cdc_role or (config or {}).get("publication.autocreate.mode") == "all_tables"
        directory = self.directory / (name or f"connector{len(self.all)}")
        base = {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            "plugin.name": "pgoutput",
            **database_properties(database, superuser),
            "topic.prefix": database.name,
            "slot.name": database.name,
            "publication.name": database.name,
            "publication.autocreate.mode": "filtered",
            "schema.include.list": "public",
            "status.update.interval.ms": "1000",
            **PLAIN_JSON,
        }
        if sink != "kafka":
            base["sink"] = sink
        if sink == "file":
            base["sink.file.path"] = str(directory / "records.jsonl")
        settings = {"bootstrap.servers": self.broker(), "offset.storage.file.filename": str(directory / "offsets.dat"),
                    "offset.flush.interval.ms": "200"}
        connector = Connector(directory, {**base, **(config or {})}, {**settings, **(worker or {})}, name or "connector")
        self.all.append(connector)
        self.databases.append(database)
        return connector


@pytest.fixture
def connectors(databases, tmp_path, request):
    """Makes connectors; ends them afterwards and checks that nothing of them stays on the server."""
    factory = ConnectorFactory(tmp_path, lambda: request.getfixturevalue("broker"))
    request.getfixturevalue("broker")
    yield factory
    for connector in factory.all:
        connector.close()
    for database in {d.name: d for d in factory.databases}.values():
        assert_no_leaks(database)


def assert_no_leaks(database):
    """No walduct session survives its process, and none is left inside a transaction."""
    left = "application_name ilike '%%walduct%%' or state like 'idle in transaction%%' or backend_type = 'walsender'"
    try:
        wait_until(lambda: not database.sessions(left), 10, "sessions gone")
    except AssertionError:
        raise AssertionError(f"sessions left behind: {database.sessions(left)}") from None


@pytest.fixture
def scenes(private_servers, databases, connectors):
    made = []

    def make(version, **config):
        made.append(Scene(private_servers(postgres=version, pg_set=ARCHIVED), databases, connectors, **config))
        return made[-1]
    yield make
    for scene in made:
        if scene.restored is not None:
            scene.restored.stop("immediate")
            print(scene.restored.log()[-3000:], scene.restored.notes())  # shown of a test that failed
