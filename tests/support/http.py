"""What a running walduct answers to HTTP requests."""
import http.client
import json
import re
import urllib.error
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus

from support.wait import wait_until

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


class Surface:
    """The listener of a process that was started with `--listen 127.0.0.1:0`."""

    def __init__(self, connector):
        self.base = "http://" + connector.wait_log(r"listening address=(\S+)").group(1)

    def ask(self, path, method="GET", headers=None):
        """(status, body)"""
        request = urllib.request.Request(self.base + path, method=method, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def json(self, path):
        status, body = self.ask(path)
        assert status == 200, body
        return json.loads(body)

    def status(self):
        """Of the only connector."""
        return self.json("/status")["connectors"][0]

    def samples(self, openmetrics=False):
        """Every sample, as Prometheus' own parser reads it: {(name, labels): value}."""
        status, body = self.ask("/metrics", headers={"Accept": OPENMETRICS} if openmetrics else {})
        assert status == 200
        parse = parse_openmetrics if openmetrics else parse_prometheus
        found = {}
        for family in parse(body):
            for sample in family.samples:
                key = (sample.name, frozenset(sample.labels.items()))
                assert key not in found, f"{key} twice"
                found[key] = sample.value
        return found

    def value(self, name, **labels):
        """The one sample of that name with these labels, others aside; None when there is none."""
        found = [value for (n, have), value in self.samples().items()
                 if n == name and labels.items() <= dict(have).items()]
        assert len(found) <= 1, f"{name} {labels}: {len(found)} samples"
        return found[0] if found else None

    def wait_value(self, condition, name, timeout_s=30, **labels):
        def holds():
            value = self.value(name, **labels)
            return value is not None and condition(value)
        wait_until(holds, timeout_s, f"{name} {labels} as expected; is {self.value(name, **labels)}")


def golden_samples(text):
    """The samples of a recording with their exact values: {(name, labels): value}; placeholders are left out."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"^([A-Za-z_:][\w:]*)(?:\{(.*?),?\})? (-?[\d.]+)$", line)
        if match:
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match.group(2) or ""))
            found[match.group(1), frozenset(labels.items())] = float(match.group(3))
    return found


def ask(port, path, method="GET", tls=None, **headers):
    """(status, body, headers in small letters)"""
    connection = (http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=tls) if tls
                  else http.client.HTTPConnection("127.0.0.1", port, timeout=30))
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), {name.lower(): value for name, value in answer.getheaders()}
    finally:
        connection.close()
