"""Rounds whose keys and values leave their schemas to a registry. Both connectors use the same one, so that equal schemas have
equal ids; what is compared is the id and the value that is read by it. Needs scripts/deps registry converters."""
import base64
import json
import random
import re

from differential.chains import _LEFT_OUT
from differential.options import JSON
from recorded.avro import Avro
from recorded.protobuf import Protobuf
from support.debezium import CONVERTERS
from support.paths import DEPS
from support.registry import RegistryView

AVRO, PROTOBUF = "io.confluent.connect.avro.AvroConverter", "io.confluent.connect.protobuf.ProtobufConverter"
EVENTS = "io.debezium.converters.CloudEventsConverter"
# Per part. Protobuf: what a NULL becomes.
OPTIONS = {
    AVRO: [{}, {}, {"connect.meta.data": "false"}, {"scrub.invalid.names": "true"}],
    PROTOBUF: [{}, {"optional.for.nullables": "true"}, {"wrapper.for.nullables": "true"}],
    JSON: [{"schemas.enable": "false"}],
}

# Types whose schemas are records with one name for all columns, and options that add parameters to some of them.
_RECORDS = {"point", "numeric", "free"}
_ANNOTATES = re.compile(r"column\.(?:truncate|mask|propagate)|datatype\.propagate")


def installed():
    return CONVERTERS.is_dir() and (DEPS / "registry").is_dir()


def with_registry(seed, options, which=None):
    """The options with converters that ask ${registry}. `which`: avro, protobuf or events; None: as the seed says."""
    rng = random.Random(f"registry {seed}")
    which = which or rng.choice(("avro", "avro", "protobuf", "events"))
    chosen = {k: v for k, v in options.items() if not k.startswith(("key.converter", "value.converter"))}
    values = {"avro": AVRO, "protobuf": PROTOBUF, "events": EVENTS}[which]
    keys = rng.choice((JSON, AVRO)) if values == EVENTS else rng.choice((values, values, JSON))
    for part, converter in (("key", keys), ("value", values)):
        chosen[f"{part}.converter"] = converter
        if converter == EVENTS:
            chosen |= {"value.converter.serializer.type": "json", "value.converter.data.serializer.type": "avro",
                       "value.converter.avro.schema.registry.url": "${registry}"}
            continue
        if converter != JSON:
            chosen[f"{part}.converter.schema.registry.url"] = "${registry}"
        chosen |= {f"{part}.converter.{name}": value for name, value in rng.choice(OPTIONS[converter]).items()}
    chosen["schema.name.adjustment.mode"] = chosen["field.name.adjustment.mode"] = rng.choice(("avro", "avro", "avro_unicode"))
    for name in [name for name in chosen if name.startswith("snapshot.select.statement.overrides")]:
        del chosen[name]  # may name columns that are left out
    if which == "protobuf":  # what has no form ends both: years beyond 9999, NULL in maps
        chosen.pop("hstore.handling.mode", None)
        if chosen.get("time.precision.mode") == "connect":
            del chosen["time.precision.mode"]
    return chosen


def asks(options):
    """Then the number of a schema shows what a schema without values hides: whether a column that was dropped before its row was read is
    optional, see docs/differences.md (Plan.dropping_apart)."""
    return "${registry}" in options.values()


def left_out(column, options):
    """Columns with known differences, whose values look different here, what Protobuf has no form for, and the default of an Avro schema
    that registries refuse to both."""
    if not asks(options):
        return False
    if column.default == "'NaN'" and PROTOBUF not in options.values():
        return True
    if column.type.sql in _RECORDS and any(map(_ANNOTATES.match, options)) and PROTOBUF not in options.values():
        return True  # two columns may give one name two meanings, which Avro has no form for
    if options.get("key.converter") == PROTOBUF and column.type.sql == "bytea":
        return True  # in a key: the tombstone's, see docs/differences.md
    arrays = PROTOBUF in options.values() and column.type.family.startswith("array")
    return arrays or _LEFT_OUT.fullmatch(column.type.family) is not None


def raced(found):
    """The registry took the schema of a new subject from one of the two while the other was sending it: Debezium's client gives up."""
    return isinstance(found, str) and "Error registering" in found and "already exists" in found


def refused(table, options):
    """No converter's schema can be named after it: the registry refuses it to both."""
    return asks(options) and table.name[0].isdigit()


# Labels that were added to an enum while streaming: see docs/differences.md.
ADDED_LABELS = re.compile(r'(?:,new\d+)+(?=\\*")')


def unwrapped(value):
    """Protobuf's wrappers of nullable numbers and texts as what is in them, by which the comparison knows times and positions."""
    if isinstance(value, dict):
        return unwrapped(value["value"]) if set(value) == {"value"} else {name: unwrapped(part) for name, part in value.items()}
    return [unwrapped(part) for part in value] if isinstance(value, list) else value


class Reader:
    """Reads frames by the schemas of a registry, into JSON with the id of the schema where JsonConverter has the schema. Schemas that
    differ in nothing but an enum's added labels have one id here."""

    def __init__(self, url):
        self.registry, self.codecs, self.same = RegistryView(url), {}, {}

    def _codec(self, number):
        if number not in self.codecs:
            found = self.registry.ask("GET", f"/schemas/ids/{number}")
            codec = (Protobuf if found.get("schemaType") == "PROTOBUF" else Avro)(found["schema"])
            self.codecs[number] = codec, self.same.setdefault(ADDED_LABELS.sub("", found["schema"]), number)
        return self.codecs[number]

    def _frame(self, content):
        codec, same = self._codec(int.from_bytes(content[1:5], "big"))
        return {"schema": same, "payload": unwrapped(codec.decode(content, 5)[0])}

    def _event(self, content):
        event = json.loads(content)
        event["data"] = self._frame(base64.b64decode(event["data"]))
        event["dataschema"] = event["dataschema"].rpartition("/")[0] + f"/{event['data']['schema']}"
        return event

    def text(self, content):
        if content and content[0] == 0 and len(content) >= 5:
            read = self._frame(content)
        elif content and b'"dataschema":' in content and content[0:1] == b"{":
            read = self._event(content)
        else:
            return content
        return json.dumps(read, separators=(",", ":"), ensure_ascii=False).encode()

    def read(self, events):
        return [event.rewritten(self.text) for event in events]
