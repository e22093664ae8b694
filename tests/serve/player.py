"""Plays a scenario of corpus/ against a worker's REST interface, and tells what it answers, in the form of exchanges.json.

A step is `request` ("METHOD /path" with `json` or `text`, `headers`), `wait` (a path, until all of `until` holds, where "*" is any value),
`sql`, `wait_sql` (a query, until it answers `is`) or `sleep`. Texts may have ${host}, ${port}, ${user}, ${password}, ${authport}, ${db},
${slot} and ${prefix}: of the place, and of a database that is the scenario's own."""
import http.client
import json
import re
import time
import urllib.parse

import psycopg

from support.wait import wait_until

TOLD_HEADERS = {"content-type", "location", "allow", "www-authenticate"}
CLASS = "io.debezium.connector.postgresql.PostgresConnector"
# What a worker that is about to own something else, or does not know its leader yet, answers to anything.
_BUSY = re.compile("rebalance|momentarily|stale configuration|no known leader", re.I)
_TOKEN = re.compile(r"\$\{(\w+)\}")


def _json_or_text(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def _at(value, path):
    """What is at "tasks.0.state"; None: nothing."""
    for step in path.split("."):
        try:
            value = value[int(step) if isinstance(value, list) else step]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return value


class Player:
    """server: the PostgresServer. no_password_port: for ${port}, where the scenario tells a server that checks passwords apart."""

    def __init__(self, base, server, name, scenario, no_password_port=None):
        self.base, self.address = base, urllib.parse.urlsplit(base)
        self.server, self.scenario = server, scenario
        own = "op_" + re.sub("[^a-z0-9]", "_", name)
        self.database = server.database(own)
        self.place = {"base": base, "host": server.host, "port": str(no_password_port or server.port), "user": server.user,
                      "password": server.password, "authport": str(server.port), "db": own, "slot": own, "prefix": own}
        self.deleted = []

    def run(self):
        """The exchanges."""
        self._tidy()
        self.database.create()
        try:
            self._sql(self.scenario.get("setup", []))
            told = [self._play(step) for step in self.scenario["steps"]]
            return [exchange for exchange in told if exchange]
        finally:
            self._tidy()

    def _play(self, step):
        if "request" in step:
            return self._exchange(step)
        if "wait" in step:
            self._wait(step)
        elif "wait_sql" in step:
            query, wanted = self._placed(step["wait_sql"]), step.get("is", "t")
            wait_until(lambda: self._text_of(query) == wanted, step.get("timeout", 60), query)
        elif "sleep" in step:
            time.sleep(step["sleep"])
        else:
            self._sql(step["sql"])
        return None

    # --- the place ---

    def _placed(self, value):
        if isinstance(value, str):
            return _TOKEN.sub(lambda token: self.place.get(token[1], token[0]), value)
        if isinstance(value, list):
            return [self._placed(item) for item in value]
        if isinstance(value, dict):
            return {self._placed(name): self._placed(inner) for name, inner in value.items()}
        return value

    def _without_place(self, text):
        text = text.replace(self.base, "${base}")
        for name in ("port", "authport"):
            text = re.sub(rf"(?<!\d){self.place[name]}(?!\d)", "${" + name + "}", text)
        return text.replace(self.place["host"], "${host}").replace("localhost", "${host}")

    def _without_login(self, value):
        """User and password are words that may be anything's: they are those of the place in a configuration, or in its validation."""
        if isinstance(value, list):
            return [self._without_login(item) for item in value]
        if not isinstance(value, dict):
            return value
        known = {f"database.{name}": (self.place[name], "${" + name + "}") for name in ("user", "password")}
        told = {}
        for name, inner in value.items():
            here = value.get("name") if name == "value" else name
            ours, token = known.get(here, (None, None)) if isinstance(here, str) else (None, None)
            told[name] = token if ours is not None and inner == ours else self._without_login(inner)
        return told

    # --- HTTP ---

    def _send(self, method, path, body=None, headers=None):
        """(status, headers that are told, text). Only the headers that are given are sent."""
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=100)
        content = None if body is None else body.encode()
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            if value is not None:
                connection.putheader(name, value)
        if content is not None or method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(content or b"")))
        connection.endheaders(content)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        told = {name.lower(): value for name, value in answer.getheaders() if name.lower() in TOLD_HEADERS}
        return answer.status, told, text

    def _exchange(self, step):
        method, path = self._placed(step["request"]).split(" ", 1)
        body = json.dumps(self._placed(step["json"]), ensure_ascii=False) if "json" in step else self._placed(step.get("text"))
        headers = {"Accept": "application/json", **({} if body is None else {"Content-Type": "application/json"}),
                   **self._placed(step.get("headers", {}))}
        status, told, text = self._send(method, path, body, headers)
        for _ in range(60):
            if status not in (409, 500) or not _BUSY.search(text) or step.get("busy"):
                break
            time.sleep(0.5)
            status, told, text = self._send(method, path, body, headers)
        if status == 204 and re.fullmatch("DELETE /connectors/[^/]+", f"{method} {path}"):
            self.deleted.append(urllib.parse.unquote(path.rpartition("/")[2]))
        return {"request": step["request"], "status": status, "headers": {name: self._without_place(value) for name, value in told.items()},
                "body": self._without_login(_json_or_text(self._without_place(text))) if text else None}

    def _wait(self, step):
        path, until = self._placed(step["wait"]), self._placed(step["until"])

        def holds():
            status, _, text = self._send("GET", path, headers={"Accept": "application/json"})
            body = _json_or_text(text)
            for place, wanted in until.items():
                seen = status if place == "status" else _at(body, place)
                if seen in (None, "", [], {}) if wanted == "*" else seen != wanted:
                    return False
            return True
        wait_until(holds, step.get("timeout", 90), f"{until} at {path}", interval_s=0.25)

    # --- PostgreSQL ---

    def _sql(self, statements):
        with self.server.connect(self.database.name) as connection:
            for statement in self._placed(statements):
                connection.execute(statement)

    def _text_of(self, query):
        """As psql prints it."""
        with self.server.connect(self.database.name) as connection:
            rows = connection.execute(query).fetchall()
        text = {None: "", True: "t", False: "f"}
        return "\n".join("|".join(text[value] if value is None or isinstance(value, bool) else str(value) for value in row) for row in rows)

    # --- nothing stays: no connector, position, slot, database, role ---

    def _tidy(self):
        for name in self.deleted:  # its positions outlive it: it comes back for a moment, stopped
            config = {"connector.class": CLASS, "database.hostname": self.place["host"], "database.port": self.place["authport"],
                      "database.user": self.place["user"], "database.password": self.place["password"],
                      "database.dbname": self.place["db"], "topic.prefix": self.place["prefix"], "slot.name": self.place["slot"]}
            self._send("POST", "/connectors", json.dumps({"name": name, "initial_state": "STOPPED", "config": config}),
                       {"Content-Type": "application/json"})
        self.deleted = []
        for name in self.scenario.get("connectors", []):
            at = "/connectors/" + urllib.parse.quote(name, safe="")
            for method, path in (("PUT", at + "/stop"), ("DELETE", at + "/offsets"), ("DELETE", at)):
                wait_until(lambda method=method, path=path: self._done(*self._send(method, path)), 20, f"{method} {path}", interval_s=0.5)
        wait_until(self._dropped, 20, f"{self.database.name} to be gone", interval_s=0.5)

    @staticmethod
    def _done(status, _, text):
        """Also where there was nothing to do, or this is no way to do it."""
        return status < 300 or status == 404 or status == 400 and "STOPPED" not in text

    def _dropped(self):
        try:
            for (slot,) in self.server.query("select slot_name from pg_replication_slots where database = %s", self.database.name):
                self.server.query("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s", slot)
                self.server.query("select pg_drop_replication_slot(%s)", slot)
            self.server.query(f'drop database if exists "{self.database.name}" with (force)')
            for role in self.scenario.get("roles", []):
                self.server.query(f'drop role if exists "{role}"')
        except psycopg.Error:
            return False
        return True
