"""Small mistakes in what is typed to walduct outbox."""
import json
import subprocess

import pytest

from support.paths import BINARY


def outbox(*arguments):
    return subprocess.run([BINARY, "outbox", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)


@pytest.mark.parametrize("arguments, says", [
    (("init", "--flavour", "tabl"), "'tabl' is none of message,partitioned,poll,position,table"),
    (("init", "--flavour", "1"), "'1' is none of message"), (("init", "--port", "99999"), "--port '99999': a number from 1 to 65535"),
    (("init", "--url", "postgres://h:99999/x"), "99999"), (("init", "--print", "example", "--inbox"), "--inbox"),
    (("clean", "-f", "x.json", "--wait", "abc"), "'abc' is no number of seconds from 0 to 86400"),
    (("clean", "-f", "x.json", "--wait=-5"), "'-5' is no number of seconds"), (("clean", "-f", "x.json", "--wait", "1e99"), "'1e99' is no number of seconds")])
def test_is_refused_with_what_would_do(arguments, says):
    ended = outbox(*arguments)
    assert ended.returncode == 2 and says in ended.stderr, ended.stderr
    assert "FAILED" not in ended.stderr and "Could not convert" not in ended.stderr


def test_an_address_keeps_its_sslmode_and_says_what_it_does_not_take():
    made = outbox("init", "--print", "connector", "--url", "postgres://u:p@h:5433/x?sslmode=require")
    config = json.loads(made.stdout)["config"]
    assert made.returncode == 0 and config["database.sslmode"] == "require" and config["database.user"] == "walduct"
    assert "user and password of --url are not taken" in made.stderr
    plain = outbox("init", "--print", "connector", "--url", "postgres://h:5433/x")
    assert not plain.stderr and "database.sslmode" not in json.loads(plain.stdout)["config"]
