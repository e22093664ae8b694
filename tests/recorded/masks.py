"""What no run can repeat in a record, in one place: clocks, LSNs, numbers of transactions, the identity of a run, of an object and of a
release. All else has to be equal, byte for byte.

`Masks` is of one recording. It learns all texts of it first, and masks them then: plainly, or, strict, with LSNs and numbers of
transactions by their rank among those of the recording, so that order and equality still count."""
import json
import re

RUN_ID = "__debezium.context.runId"
_NUMBER_IN_HEADER = re.compile(r"__(?:source_)?(?:ts_[mun]s|lsn|txId)")
# What a member's name may have before it in a flattened row, beyond what texts have: add.fields.prefix of ExtractNewRecordState.
_BEFORE_A_NAME = re.compile(r"^(?:__|[a-z]_)?(?:source_)?(?=(?:ts_[mun]s|lsn|txId|sequence|version)$)")


def _either(*forms):
    return "(" + "|".join(f"(?:{form})" for form in forms) + ")"


class Dialect:
    """How the members are written: in JSON, in the text of a Struct ("lsn=1"), and in CloudEvents where there are some."""

    def __init__(self, prefix, event_number=(), event_sequence=(), event_id="", event_version=""):
        numbers = "(?:ts_[mun]s|lsn|txId)"
        self.number = re.compile(_either(f'"{prefix}(?:source_)?{numbers}":', rf"\b{numbers}=", *event_number) + r"(\d+)")
        self.sequence = re.compile(_either(r'"(?:source_)?sequence":"\[', r"\bsequence=\[", *event_sequence) + r"([^\]]*)(?=\])")
        self.transaction = re.compile(f'("id":"{event_id})' + r'(\d+):(\d+)(?=")')
        self.release = re.compile(_either('"version":"' + event_version, r"\{version=") + r'\d+\.\d+\.\d+[^",]*(?=[",])')


PLAIN = Dialect("(?:__)?")
EVENTS = Dialect("(?:__|[a-z]_)?",
                 event_number=['"iodebezium(?:ts[mun]s|lsn|txId)":"?', ";(?:lsn|txId):"],
                 event_sequence=[r'"iodebeziumsequence":"\[', r";sequence:\["],
                 event_id='|"(?:__|[a-z]_)?transaction_id":"|"iodebeziumtxid":"',
                 event_version='|"iodebeziumversion":"')
_EVENT_TIME = re.compile(r'("time":")\d{4}-\d\d-\d\dT[^"]*(?=")')
_OBJECT = re.compile(r"(MessageId@)[0-9a-f]+")  # Debezium prints the identity of a Java object


def zeroed(text, clocks_alone=False):
    """The moment and the place of a record as 0, for who compares the rest of two that were read at different moments."""
    def number(found):
        kept = clocks_alone and ("lsn" in found[1] or "txId" in found[1])
        return found[0] if kept else found[1] + "0"
    text = PLAIN.number.sub(number, text)
    return text if clocks_alone else PLAIN.sequence.sub(r"\1", text)


class Masks:
    def __init__(self, strict, dialect=PLAIN):
        self.strict, self.dialect = strict, dialect
        self.lsns, self.transactions = set(), set()

    def learn(self, text):
        """Of what is no text nothing is learnt."""
        if not isinstance(text, str):
            return
        for before, digits in self.dialect.number.findall(text):
            if "lsn" in before:
                self.lsns.add(int(digits))
            elif "txId" in before:
                self.transactions.add(int(digits))
        for _, transaction, lsn in self.dialect.transaction.findall(text):
            self.transactions.add(int(transaction))
            self.lsns.add(int(lsn))

    def text(self, text):
        if not isinstance(text, str):
            return text
        rank_of_lsn, rank_of_transaction = self._ranks()

        def number(found):
            before, digits = found.groups()
            if "lsn" in before:
                return before + rank_of_lsn(digits)
            if "txId" in before:
                return before + rank_of_transaction(digits)
            return before + (digits if digits.startswith("0") else "T")  # no clock shows 0: somebody wrote it

        def sequence(found):
            """[commit before, own LSN]: whether the first is another one's, or none's, is chance."""
            commit, comma, own = found[2].partition(",")
            known = lambda digits: rank_of_lsn(digits[0]) if int(digits[0]) in self.lsns else "?"
            return found[1] + re.sub(r"\d+", "C", commit) + comma + re.sub(r"\d+", known, own)

        text = self.dialect.number.sub(number, text)
        text = self.dialect.sequence.sub(sequence, text)
        text = self.dialect.transaction.sub(lambda found: f"{found[1]}{rank_of_transaction(found[2])}:{rank_of_lsn(found[3])}", text)
        if self.dialect is EVENTS:
            text = _EVENT_TIME.sub(r"\1T", text)
        return _OBJECT.sub(r"\1*", self.dialect.release.sub(r"\1V", text))

    def _ranks(self):
        if not self.strict:
            return lambda digits: "L", lambda digits: "X"
        if not hasattr(self, "_known"):
            self._known = [{number: f"{letter}{rank}" for rank, number in enumerate(sorted(numbers))}
                           for letter, numbers in (("L", self.lsns), ("X", self.transactions))]
        lsns, transactions = self._known
        return lambda digits: lsns[int(digits)], lambda digits: transactions[int(digits)]

    def header(self, name, value):
        if name == RUN_ID:
            return "*"
        if _NUMBER_IN_HEADER.fullmatch(name):
            if isinstance(value, str):
                return re.sub(r"\d+", "N", value)
            return "N" if value and "hex" in value else value
        return self.text(value)

    # A member that is read from bytes is masked as it would be in JSON.

    def learn_member(self, name, value):
        self.learn(_as_json(name, value))

    def member(self, name, value):
        """Its mask; None: it has to be equal."""
        plain = _as_json(name, value)
        masked = self.text(plain)
        return None if masked == plain else masked


def _as_json(name, value):
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return f'{{"{_BEFORE_A_NAME.sub("", name)}":{json.dumps(value, ensure_ascii=False)}}}'


# --- what no two workers share in an answer of the REST interface, and in the worker's topics ---

POSITION_MEMBERS = {"lsn", "lsn_proc", "lsn_commit", "txId", "ts_usec"}
_ANSWER_NUMBERS = POSITION_MEMBERS | {"last_modified"}
_TEXTS = [(re.compile(pattern, re.S), mask) for pattern, mask in (
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"),
    # The class of the error is there from the second time on.
    (r"(?:org\.apache\.kafka\.connect\.errors\.ConnectException: )+(?=Failed to find any class)", ""),
    (r"(?<=Invalid regex: )(?:Cannot invoke [^\n]*? is null|null)", "<null>"),
    (r"(?<=location=')[^']*(?=')", "<location>"),
    (r"(version='|encodedVersion=)\d[\w.]*", r"\1<version>"),
    (r"^<html>.*?<title>(.*?)</title>.*", r"<html: \1>"),
    (r"(?<=\bPID )\d+", "<n>"),
    (r"@[0-9a-f]{5,8}\b", "@<id>"),
    (r"(?<=LSN\{)[0-9A-F]+/[0-9A-F]+(?=\})", "<lsn>"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*Z?", "<time>"),
)]
_RELEASE = re.compile(r"\b\d+\.\d+\.\d+(?:\.Final|-SNAPSHOT|\.[A-Z]\w+)?\b")
_FRAME = re.compile(r"\t|\s+(?:at |\.\.\. )")


def _answer_text(text):
    for pattern, mask in _TEXTS:
        text = pattern.sub(mask, text)
    return text


def _trace(text):
    """Without the frames: class and message of the error and of its causes."""
    return "\n".join(_answer_text(line.rstrip()) for line in text.split("\n") if line.strip() and not _FRAME.match(line))


_ANSWER_MEMBERS = {
    "worker_id": lambda text: "<worker>",
    "trace": _trace,
    "commit": lambda text: "<commit>",
    "kafka_cluster_id": lambda text: "<kafka_cluster_id>",
    "version": lambda text: "<version>" if _RELEASE.search(text) else _answer_text(text),
    "documentation": lambda text: text and "<text>",
}


def answer(value, name=None):
    """Of an exchange, or of a part of it; name: of the member that holds it."""
    if isinstance(value, dict):
        return {member: answer(inner, member) for member, inner in value.items()}
    if isinstance(value, list):
        return [answer(inner) for inner in value]
    if isinstance(value, str):
        return _ANSWER_MEMBERS.get(name, _answer_text)(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return "<number>" if is_number and name in _ANSWER_NUMBERS else value


_SESSION_KEY_LENGTH = 44  # base64 of 32 bytes
_TOPIC_NUMBERS = POSITION_MEMBERS | {"discoverTimestamp", "creation-timestamp", "generation"}


def topic_value(value, name=None):
    """Of a record of the worker's topics."""
    if isinstance(value, dict):
        return {member: topic_value(inner, member) for member, inner in value.items()}
    if isinstance(value, int) and name in _TOPIC_NUMBERS:
        return "<number>"
    one_worker = name in ("worker_id", "trace", "version") or name == "key" and len(str(value)) == _SESSION_KEY_LENGTH
    return f"<{name}>" if isinstance(value, str) and one_worker else value
