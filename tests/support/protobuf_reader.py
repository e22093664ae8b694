"""Reads Protobuf records as Confluent's deserializer does, with Google's own compiler and library: the schema of the frame's id
comes from the registry."""
import tempfile
from importlib import resources
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc

# Files that registries know; the option confluent.field_meta is declared nowhere else.
KNOWN = {
    "confluent/meta.proto": """syntax = "proto3"; package confluent; import "google/protobuf/descriptor.proto";
        message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }
        extend google.protobuf.FieldOptions { Meta field_meta = 1088; }""",
    "confluent/type/decimal.proto": """syntax = "proto3"; package confluent.type; import public "confluent/meta.proto";
        message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }""",
    "google/type/date.proto": """syntax = "proto3"; package google.type;
        message Date { int32 year = 1; int32 month = 2; int32 day = 3; }""",
    "google/type/timeofday.proto": """syntax = "proto3"; package google.type;
        message TimeOfDay { int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }""",
}


def compiled(text):
    """The messages at the top of a schema, as classes."""
    with tempfile.TemporaryDirectory() as directory:
        for name, content in {**KNOWN, "schema.proto": text}.items():
            path = Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        out = Path(directory, "set")
        code = protoc.main(["protoc", f"-I{directory}", f"-I{resources.files('grpc_tools') / '_proto'}", "--include_imports",
                            f"--descriptor_set_out={out}", "schema.proto"])
        assert code == 0, f"protoc refuses\n{text}"
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    pool = descriptor_pool.DescriptorPool()
    for file in files:
        pool.Add(file)
    schema = pool.FindFileByName("schema.proto")
    names = [message.name for message in files[-1].message_type]
    return [message_factory.GetMessageClass(schema.message_types_by_name[name]) for name in names]


def zigzag(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return (number >> 1) ^ -(number & 1), at


class Protobuf:
    """`registry`: a RegistryView."""

    def __init__(self, registry):
        self.registry, self.known = registry, {}

    def read(self, framed):
        assert framed[0] == 0
        number = int.from_bytes(framed[1:5], "big")
        if number not in self.known:
            self.known[number] = compiled(self.registry.ask("GET", f"/schemas/ids/{number}")["schema"])
        count, at = zigzag(framed, 5)
        path = []
        for _ in range(count):
            index, at = zigzag(framed, at)
            path.append(index)
        assert len(path) <= 1, path
        message = self.known[number][path[0] if path else 0].FromString(framed[at:])
        # Google's library writes the same bytes: nothing is there twice, out of order or longer than it must be.
        assert message.SerializeToString(deterministic=True) == framed[at:]
        return message
