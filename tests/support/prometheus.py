"""A real Prometheus with walduct's alert rules, quickened so that a test can wait for them."""
import json
import re
import subprocess
import urllib.parse
import urllib.request

from support.debezium import free_port
from support.paths import DEPS, ROOT
from support.wait import wait_until

BIN = DEPS / "prometheus" / "usr" / "bin"
RULES = ROOT / "deploy" / "prometheus" / "walduct.rules.yml"


def quickened(rules):
    """Minutes and hours become seconds, limits of size become small; what is compared, and how, stays."""
    rules = re.sub(r"for: \d+m", "for: 1s", rules)
    rules = re.sub(r"\[\d+[mh]\]", "[10s]", rules)
    rules = re.sub(r"(seconds(?:\{[^}]*\})?) > \d+", r"\1 > 2", rules)
    return rules.replace("6 * 3600", "1e9").replace("10e9", "20e6")


class Prometheus:
    """Scrapes one process every half second and judges the rules as often."""

    def __init__(self, directory, target):
        directory.mkdir()
        (directory / "rules.yml").write_text(quickened(RULES.read_text()))
        (directory / "prometheus.yml").write_text(json.dumps({  # YAML, too
            "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"},
            "rule_files": [str(directory / "rules.yml")],
            "scrape_configs": [{"job_name": "walduct", "static_configs": [{"targets": [target]}]}]}))
        self.base = f"http://127.0.0.1:{free_port()}"
        with open(directory / "prometheus.log", "wb") as log:
            self.process = subprocess.Popen(
                [BIN / "prometheus", f"--config.file={directory / 'prometheus.yml'}", f"--storage.tsdb.path={directory / 'data'}",
                 f"--web.listen-address={self.base.removeprefix('http://')}"], stdout=log, stderr=log)
        wait_until(self._ready, 60, "Prometheus answers", interval_s=0.1)

    def _ready(self):
        assert self.process.poll() is None, "Prometheus ended"
        try:
            return self._ask("/-/ready")
        except OSError:
            return None

    def _ask(self, path):
        with urllib.request.urlopen(self.base + path, timeout=10) as answer:
            return answer.read().decode()

    def query(self, expression):
        """[{labels}, value] of every series."""
        found = json.loads(self._ask("/api/v1/query?query=" + urllib.parse.quote(expression)))["data"]["result"]
        return [(one["metric"], float(one["value"][1])) for one in found]

    def firing(self):
        """The names of the alerts that fire."""
        return {labels["alertname"] for labels, _ in self.query('ALERTS{alertstate="firing"}')}

    def wait_firing(self, *names, timeout_s=60):
        wait_until(lambda: set(names) <= self.firing(), timeout_s, f"{names} fire", interval_s=0.2)

    def wait_quiet(self, timeout_s=60):
        """None fires, and the process has been scraped and judged since."""
        scrapes = "count_over_time(up[1h])"
        before = sum(value for _, value in self.query(scrapes))
        wait_until(lambda: sum(v for _, v in self.query(scrapes)) >= before + 4 and not self.firing(), timeout_s,
                   f"no alert, not {self.firing()}", interval_s=0.2)

    def close(self):
        self.process.kill()
        self.process.wait()
