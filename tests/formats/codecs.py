"""Reads Avro and Protobuf bodies by the schema texts of a recording, every byte with its place."""
import json
import re
import struct


class Bad(Exception):
    pass


# ------------------------------------------------------------------------------------------------ Avro
PRIMITIVE = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}


def avro_names(schema, space="", out=None):
    """Every named type of a schema by full name."""
    out = {} if out is None else out
    if isinstance(schema, list):
        for s in schema:
            avro_names(s, space, out)
    elif isinstance(schema, dict):
        t = schema.get("type")
        if t in ("record", "enum", "fixed", "error"):
            name, ns = schema["name"], schema.get("namespace", space)
            full = name if "." in name else (ns + "." + name if ns else name)
            out[full] = schema
            for f in schema.get("fields", ()):
                avro_names(f["type"], full.rpartition(".")[0], out)
        elif t == "array":
            avro_names(schema["items"], space, out)
        elif t == "map":
            avro_names(schema["values"], space, out)
        elif not isinstance(t, str):
            avro_names(t, space, out)
    return out


class Avro:
    def __init__(self, text, referenced=()):
        self.schema = json.loads(text)
        self.names = {}
        for r in referenced:
            avro_names(json.loads(r), out=self.names)
        avro_names(self.schema, out=self.names)

    def decode(self, body, start=0):
        """Value and leaves [(path, kind, from, to, value)] of a body; every byte belongs to a leaf or to a length, a branch or a block count."""
        self.b, self.i, self.leaves = body, start, []
        if self.schema == "bytes" or isinstance(self.schema, dict) and self.schema["type"] == "bytes":  # the serializer writes top-level bytes without a length
            v = {"bytes": body[start:].hex()}
            return v, [((), "bytes", start, len(body), v)]
        v = self._read(self.schema, (), "")
        if self.i != len(body):
            raise Bad(f"{len(body) - self.i} bytes behind the value")
        return v, self.leaves

    def _take(self, n):
        if n < 0 or self.i + n > len(self.b):
            raise Bad(f"the value ends at byte {len(self.b)}, {n} more wanted")
        self.i += n
        return self.b[self.i - n:self.i]

    def _long(self):
        n = shift = 0
        first = self.i
        while True:
            c = self._take(1)[0]
            n |= (c & 0x7F) << shift
            shift += 7
            if c < 128:
                break
        if c == 0 and self.i - first > 1:
            raise Bad(f"a number at byte {first} is longer than it must be")
        return (n >> 1) ^ -(n & 1)

    def _read(self, s, path, space):
        if isinstance(s, list):
            k = self._long()
            if not 0 <= k < len(s):
                raise Bad(f"{'.'.join(path)}: branch {k} of {len(s)}")
            return self._read(s[k], path, space)
        if isinstance(s, str) and s not in PRIMITIVE:
            full = s if "." in s or not space else space + "." + s
            return self._read(self.names.get(full) or self.names[s], path, full.rpartition(".")[0])
        t = s if isinstance(s, str) else s["type"]
        if isinstance(t, (dict, list)):
            return self._read(t, path, space)
        if t == "record":
            ns = s["name"].rpartition(".")[0] if "." in s["name"] else s.get("namespace", space)
            return {f["name"]: self._read(f["type"], path + (f["name"],), ns) for f in s["fields"]}
        if t in ("array", "map"):
            out, blocks = ([] if t == "array" else {}), 0
            while True:
                n = self._long()
                if n == 0:
                    return out
                if n < 0:
                    raise Bad(f"{'.'.join(path)}: a block with a byte size")
                blocks += 1
                if blocks > 1:
                    raise Bad(f"{'.'.join(path)}: more than one block")
                for _ in range(n):
                    if t == "array":
                        out.append(self._read(s["items"], path, space))
                    else:
                        k = self._take(self._long()).decode()
                        out[k] = self._read(s["values"], path + (k,), space)
        first = self.i
        if t == "null":
            return None
        if t == "boolean":
            c = self._take(1)[0]
            if c > 1:
                raise Bad(f"{'.'.join(path)}: boolean {c}")
            v = bool(c)
        elif t in ("int", "long"):
            v = self._long()
        elif t == "float":
            v = number(struct.unpack("<f", self._take(4))[0])
        elif t == "double":
            v = number(struct.unpack("<d", self._take(8))[0])
        elif t == "bytes":
            v = {"bytes": self._take(self._long()).hex()}
        elif t == "fixed":
            v = {"bytes": self._take(s["size"]).hex()}
        elif t == "string":
            v = self._take(self._long()).decode("utf-8")
        elif t == "enum":
            v = s["symbols"][self._long()]
        elif t in self.names or (space + "." + t) in self.names:
            return self._read(t, path, space)
        else:
            raise Bad(f"type {t}")
        self.leaves.append((path, t, first, self.i, v))
        return v


def number(x):
    return x if x == x and abs(x) != float("inf") else {"number": "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"}


# ------------------------------------------------------------------------------------------------ Protobuf (the text ProtobufConverter registers)
SCALARS = {"double": 1, "float": 5, "int32": 0, "int64": 0, "uint32": 0, "uint64": 0, "sint32": 0, "sint64": 0, "fixed32": 5, "fixed64": 1, "sfixed32": 5,
           "sfixed64": 1, "bool": 0, "string": 2, "bytes": 2}
WELL_KNOWN = '''
message google.protobuf.Timestamp { int64 seconds = 1; int32 nanos = 2; }
message google.type.Date { int32 year = 1; int32 month = 2; int32 day = 3; }
message google.type.TimeOfDay { int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }
message confluent.type.Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }
message google.protobuf.DoubleValue { double value = 1; }
message google.protobuf.FloatValue { float value = 1; }
message google.protobuf.Int64Value { int64 value = 1; }
message google.protobuf.Int32Value { int32 value = 1; }
message google.protobuf.BoolValue { bool value = 1; }
message google.protobuf.StringValue { string value = 1; }
message google.protobuf.BytesValue { bytes value = 1; }
'''
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_.][\w.]*|-?\d[\w.]*|//[^\n]*|/\*.*?\*/|\S', re.S)


LENGTH = "the length of a message"


class Proto:
    def __init__(self, text, referenced=()):
        self.messages, self.enums, self.top = {}, {}, []
        for t in (WELL_KNOWN,) + tuple(referenced):
            self._file(t)
        self.top = []
        self._file(text)

    def _file(self, text):
        self.t = [x for x in TOKEN.findall(text) if not x.startswith(("//", "/*"))]
        self.i, package = 0, ""
        while self.i < len(self.t):
            w = self._next()
            if w == "package":
                package = self._next(); self._skip(";")
            elif w == "message":
                self.top.append(self._message(package))
            elif w == "enum":
                self._enum(package)
            else:
                self._skip(";")

    def _next(self):
        self.i += 1
        return self.t[self.i - 1]

    def _skip(self, end):
        depth = 0
        while True:
            w = self._next()
            depth += w in "{[" ; depth -= w in "}]"
            if w == end and depth <= 0:
                return

    def _enum(self, scope):
        name = (scope + "." if scope else "") + self._next()
        self._next(); values = {}
        while self.t[self.i] != "}":
            w = self._next()
            if w not in ("option", "reserved") and self.t[self.i] == "=":
                self._next(); values[int(self._next())] = w
            self._skip(";")
        self.i += 1
        self.enums[name] = values

    def _message(self, scope):
        name = (scope + "." if scope else "") + self._next()
        self.messages[name] = fields = {}
        self._next()
        while True:
            w = self._next()
            if w == "}":
                break
            if w == ";":
                continue
            if w in ("option", "reserved", "extensions"):
                self._skip(";"); continue
            if w == "message":
                self._message(name); continue
            if w == "enum":
                self._enum(name); continue
            if w == "oneof":
                self._next(); self._next()
                while self.t[self.i] != "}":
                    self._field(self._next(), name, fields, False)
                self.i += 1; continue
            repeated = w == "repeated"
            if w in ("optional", "repeated", "required"):
                w = self._next()
            self._field(w, name, fields, repeated)
        return name

    def _field(self, kind, scope, fields, repeated):
        if kind == "map":
            self._next(); k = self._next(); self._next(); v = self._next(); self._next()
            entry = f"{scope}.{self.t[self.i]}<entry>"
            self.messages[entry] = {1: ("key", k, False, entry), 2: ("value", v, False, scope)}
            kind, repeated = entry, True
        name = self._next(); self._next(); number_ = int(self._next())
        fields[number_] = (name, kind, repeated, scope)
        self._skip(";")

    def _resolve(self, kind, scope):
        if kind in self.messages or kind in self.enums:
            return kind
        if kind.startswith("."):
            return kind[1:]
        while scope:
            if f"{scope}.{kind}" in self.messages or f"{scope}.{kind}" in self.enums:
                return f"{scope}.{kind}"
            scope = scope.rpartition(".")[0]
        raise Bad(f"type {kind}")

    def decode(self, body, start=0):
        self.b, self.i2, self.leaves = body, start, []
        n = self._zig()
        path = [0] if n == 0 else [self._zig() for _ in range(n)]
        name = self.top[path[0]]
        for p in path[1:]:
            name = [m for m in self.messages if m.startswith(name + ".") and "." not in m[len(name) + 1:] and "<" not in m][p]
        return self._body(name, len(body), ()), self.leaves

    def _take(self, n):
        if self.i2 + n > len(self.b):
            raise Bad("the message ends early")
        self.i2 += n
        return self.b[self.i2 - n:self.i2]

    def _varint(self):
        n = shift = 0
        while True:
            c = self._take(1)[0]
            n |= (c & 0x7F) << shift
            shift += 7
            if c < 128:
                if c == 0 and shift > 7:
                    raise Bad(f"a number before byte {self.i2} is longer than it must be")
                return n

    def _zig(self):
        n = self._varint()
        return (n >> 1) ^ -(n & 1)

    def _body(self, name, end, path):
        out, fields = {}, self.messages[name]
        while self.i2 < end:
            tag = self._varint()
            wire, num = tag & 7, tag >> 3
            if num not in fields:
                raise Bad(f"{'.'.join(path)}: field {num} is not in {name}")
            fname, kind, repeated, scope = fields[num]
            p = path + (fname,)
            packed = repeated and wire == 2 and SCALARS.get(kind, 0 if kind not in SCALARS and self._resolve(kind, scope) in self.enums else 2) != 2
            if packed:
                stop, vs = self._varint(), []
                stop += self.i2
                while self.i2 < stop:
                    vs.append(self._value(kind, scope, p))
                out.setdefault(fname, []).extend(vs)
                continue
            v = self._value(kind, scope, p)
            if repeated:
                out.setdefault(fname, []).append(v)
            elif fname in out:
                raise Bad(f"{'.'.join(p)}: twice")
            else:
                out[fname] = v
        if self.i2 != end:
            raise Bad("a message ends behind its length")
        return out

    def _value(self, kind, scope, p):
        first = self.i2
        if kind in SCALARS:
            if kind == "double":
                v = number(struct.unpack("<d", self._take(8))[0])
            elif kind == "float":
                v = number(struct.unpack("<f", self._take(4))[0])
            elif SCALARS[kind] in (1, 5):
                v = int.from_bytes(self._take(8 if SCALARS[kind] == 1 else 4), "little", signed=kind.startswith("s"))
            elif kind == "bool":
                v = bool(self._varint())
            elif kind == "string":
                v = self._take(self._varint()).decode("utf-8")
            elif kind == "bytes":
                v = {"bytes": self._take(self._varint()).hex()}
            elif kind.startswith("s"):
                v = self._zig()
            else:
                v = self._varint()
                if not kind.startswith("u") and v >= 1 << 63:
                    v -= 1 << 64
        else:
            full = self._resolve(kind, scope)
            if full in self.enums:
                n = self._varint()
                v = self.enums[full].get(n, n)
            else:
                n = self._varint()
                length = len(self.leaves)
                self.leaves.append([p, LENGTH, first, self.i2, self.i2 + n])  # the length of a message depends on the volatile fields in it
                v = self._body(full, self.i2 + n, p)
                self.leaves[length] = tuple(self.leaves[length])
                return v
        self.leaves.append((p, kind, first, self.i2, v))
        return v
