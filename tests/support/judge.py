"""What all surfaces of a running walduct say of its state, asked at once: `walduct status`, /status (all that the console knows),
/metrics, /readyz and doctor. A break is a Break: what is done to the connector, and what each of them must say within LIMIT_S."""
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

from support.http import Surface
from support.paths import BINARY
from support.wait import wait_until

LIMIT_S = 15
# Of a healthy pair.
QUIET = {"wal_keep_unlimited", "slot_inactive", "offset_topic_missing"}


@dataclass
class Break:
    """`does(patient)` breaks it. `says`: a regular expression that `walduct status` and /status must both match; `sign(samples)`:
    what an alert of deploy/prometheus can fire on; `ready`: the status of /readyz; `doctor`: of a finding's reason and words, None where
    doctor is not asked."""
    does: Callable
    says: str
    sign: Callable
    ready: int | None = None
    within: int = LIMIT_S
    doctor: str | None = None
    config: dict = field(default_factory=dict)
    worker: dict = field(default_factory=dict)
    tables: str = ""
    sink: str = "file"
    servers: dict | None = None  # of its own
    ends: bool = False  # the connector fails by it: beside another one, so that the process lives
    mends: Callable | None = None
    prepares: Callable | None = None  # before the start


class Patient:
    def __init__(self, connector, database, servers=None):
        self.connector, self.db, self.servers, self.surface = connector, database, servers, None

    def start(self, companion=None):
        """companion: the file of another connector of the same process, which lives on when this one fails."""
        more = ("-f", companion) if companion else ()
        self.connector.start(*more, "--listen", "127.0.0.1:0").wait_log(rf"streaming slot={self.connector.slot}\b")
        self.surface = Surface(self.connector)
        self.insert()
        return self

    @property
    def status(self):
        """What /status says of it alone."""
        return next(one for one in self.surface.json("/status")["connectors"] if one["name"] == self.connector.name)

    def series(self):
        """Its own."""
        return {(name, labels): value for (name, labels), value in self.surface.samples().items() if dict(labels).get("connector") == self.connector.name}

    def insert(self, table="items"):
        self.db.script(f"insert into {table} (id) select coalesce(max(id), 0) + 1 from {table}")

    def cut_off(self):
        """Its sessions end; it has to log in again."""
        self.db.server.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s and application_name ilike '%%walduct%%'", self.db.name)

    # --- asked ---

    def page(self, *arguments):
        return subprocess.run([str(BINARY), "status", self.connector.name, "--url", self.surface.base, *arguments], capture_output=True, text=True, timeout=30)

    def doctor(self):
        """The lines of its findings that count: REASON: words."""
        done = self.connector.call("doctor", "--json", timeout_s=60)
        findings = json.loads(done.stdout)["connectors"][0]["findings"]
        return [f"{f['reason']}: {f['message']} {f['hint']}" for f in findings if f["reason"] not in QUIET]


def healthy(patient):
    """All of them say nothing."""
    page = patient.page()
    shown = re.sub(r"until it is lost(, lost in [\w ]+)?", "", page.stdout)
    assert page.returncode == 0 and not re.search(r"error|hint|warning|FAILED|lost|stalled", shown), page.stdout
    status = patient.status
    assert status["state"] == "RUNNING" and not status.get("last_error") and not status.get("capture", {}).get("problems"), status
    assert patient.surface.ask("/readyz") == (200, "ok\n")
    samples = patient.series()
    assert not any(sign(samples) for sign in ALARMS), samples


def judge(patient, broken):
    """All of them say it, in time."""
    said = {}

    def heard():
        said["status"] = patient.page().stdout
        said["console"] = json.dumps(patient.status, ensure_ascii=False)
        said["series"] = patient.series()
        said["ready"] = patient.surface.ask("/readyz")
        missing = [place for place in ("status", "console") if not re.search(broken.says, said[place], re.IGNORECASE)]
        if not broken.sign(said["series"]):
            missing.append("series")
        if broken.ready is not None and said["ready"][0] != broken.ready:
            missing.append("ready")
        said["missing"] = missing
        return not missing
    try:
        wait_until(heard, broken.within, "told", interval_s=0.3)
    except AssertionError:
        raise AssertionError(f"not told by {said['missing']} in {broken.within} s:\n{said['status']}\n{said['ready']}\n{said['console']}") from None
    if broken.doctor is not None:
        findings = patient.doctor()
        assert any(re.search(broken.doctor, finding) for finding in findings), findings
    return said


# --- signs: what the alerts look for, without how long ---

def _some(name, test=lambda value: value > 0, **labels):
    def sign(samples):
        return any(test(value) for (n, have), value in samples.items()
                   if n == name and all(re.fullmatch(want, dict(have).get(label, "")) for label, want in labels.items()))
    return sign


failed = _some("walduct_connector_state", state="failed")
retrying = _some("walduct_connector_activity", activity="retrying")
slot_lost = _some("walduct_slot_wal_status", status="lost|unreserved|missing")
captures = _some("walduct_capture_problems")
beside = _some("walduct_beside_failing_seconds")
stalled = _some("walduct_stalled")
record_errors = _some("walduct_record_errors_total")
lag = _some("walduct_lag_seconds", lambda seconds: seconds > 3)
ALARMS = (failed, retrying, slot_lost, captures, beside, stalled, record_errors, lag)


def either(*signs):
    return lambda samples: any(sign(samples) for sign in signs)
