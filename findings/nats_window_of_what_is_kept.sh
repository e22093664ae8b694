#!/usr/bin/env bash
# NATS JetStream: the duplicate window of a stream whose messages do not stay.
#
# Four streams in files with a duplicate window of one hour: one that keeps everything, a work queue whose message was
# consumed and acknowledged, one that keeps its newest message (max_msgs 1), one that was purged. The message with
# Nats-Msg-Id "a" is published, published again, and published once more after the server was stopped and started in the
# ordinary way. All of it takes seconds.
#
# Guess, written down before the run: the window is time. An id is known for an hour, whatever became of its message; the
# streams are in files, so a restart changes nothing: every repeat is acknowledged as a duplicate and not stored.
#
# Behaviour: until the restart it is so. A server that starts makes the window anew from the messages that it still has.
# An id whose message was acknowledged in a work queue, pushed out or purged is forgotten: its repeat is stored, and the
# work queue's consumer gets it a second time.
set -euo pipefail

version=v2.11.4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOBIN=$work GOMODCACHE=$work/modules GOCACHE=$work/cache GOFLAGS=-modcacherw
(cd "$work" && go install "github.com/nats-io/nats-server/v2@$version" 2>"$work/log") || { tail -n 5 "$work/log" >&2 && exit 1; }
PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$work/lib" nats-py==2.11.0
"$work/nats-server" --version

cat >"$work/finding.py" <<'PYTHON'
import asyncio
import pathlib
import subprocess
import sys
import time

import nats
from nats.js.api import RetentionPolicy, StreamConfig

WORK = pathlib.Path(sys.argv[1])
STREAMS = {"keeps": {}, "work_queue": {"retention": RetentionPolicy.WORK_QUEUE}, "newest": {"max_msgs": 1}, "purged": {}}


class Server:
    def __enter__(self):
        ports = WORK / "ports"
        ports.mkdir(exist_ok=True)
        self.process = subprocess.Popen([WORK / "nats-server", "-a", "127.0.0.1", "-p", "-1", "-js", "-sd", WORK / "store",
                                         "--ports_file_dir", ports], stderr=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while not (found := list(ports.glob("*.ports"))) and time.monotonic() < until:
            time.sleep(0.1)
        text = found[0].read_text()
        self.url = text[text.index("nats://"):].split('"')[0]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)


async def publish(jetstream, stream, name):
    answer = await jetstream.publish(f"{stream}.x", b"row", headers={"Nats-Msg-Id": name})
    return "a duplicate" if answer.duplicate else f"stored as {answer.seq}"


async def show(jetstream, when):
    for stream in STREAMS:
        print(f"{when}: {stream}: {await publish(jetstream, stream, 'a')}")


async def before(url):
    connection = await nats.connect(url)
    jetstream = connection.jetstream()
    for name, config in STREAMS.items():
        await jetstream.add_stream(StreamConfig(name=name, subjects=[f"{name}.*"], duplicate_window=3600, **config))
    await show(jetstream, "published")
    consumer = await jetstream.pull_subscribe("work_queue.*", durable="reader")
    await (await consumer.fetch(1))[0].ack_sync()
    await publish(jetstream, "newest", "b")
    await jetstream.purge_stream("purged")
    await show(jetstream, "again")
    await connection.close()


async def after(url):
    connection = await nats.connect(url)
    jetstream = connection.jetstream()
    await show(jetstream, "after a restart")
    consumer = await jetstream.pull_subscribe("work_queue.*", durable="reader")
    print(f"the work queue's consumer gets {len(await consumer.fetch(1))} more")
    await connection.close()


for step in (before, after):
    with Server() as server:
        asyncio.run(step(server.url))
PYTHON

PYTHONPATH=$work/lib timeout 120 python3 "$work/finding.py" "$work" | tee "$work/seen"
diff "$work/seen" - <<'SEEN'
published: keeps: stored as 1
published: work_queue: stored as 1
published: newest: stored as 1
published: purged: stored as 1
again: keeps: a duplicate
again: work_queue: a duplicate
again: newest: a duplicate
again: purged: a duplicate
after a restart: keeps: a duplicate
after a restart: work_queue: stored as 2
after a restart: newest: stored as 3
after a restart: purged: stored as 2
the work queue's consumer gets 1 more
SEEN
