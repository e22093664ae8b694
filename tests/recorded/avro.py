"""Reads Avro by the text of a schema, piece by piece."""
import json

from recorded.pieces import Cursor, Malformed, floating, hexadecimal


def _full_name(name, space):
    return name if "." in name or not space else f"{space}.{name}"


class Avro:
    """references: texts of schemas that it names types of."""

    def __init__(self, text, references=()):
        self.named = {}
        for other in references:
            self._learn(json.loads(other), "")
        self.schema = json.loads(text)
        self._learn(self.schema, "")

    def _learn(self, schema, space):
        """Named types, by full name, with the namespace that names within them are of."""
        if isinstance(schema, list):
            for branch in schema:
                self._learn(branch, space)
        if not isinstance(schema, dict):
            return
        if "name" in schema and schema["type"] in ("record", "enum", "fixed"):
            full = _full_name(schema["name"], schema.get("namespace", space))
            space = full.rpartition(".")[0]
            self.named[full] = schema, space
        for inner in (schema["type"], schema.get("items"), schema.get("values"), *(field["type"] for field in schema.get("fields", ()))):
            self._learn(inner, space)

    def decode(self, body, at=0):
        """(value, pieces)"""
        cursor = Cursor(body, at)
        if self.schema == "bytes" or isinstance(self.schema, dict) and self.schema["type"] == "bytes":
            value = cursor.add((), at, hexadecimal(cursor.take(len(body) - at)))  # alone it has no length before it
        else:
            value = self._read(cursor, self.schema, (), "")
        if cursor.at != len(body):
            raise Malformed(f"{len(body) - cursor.at} bytes behind the value")
        return value, cursor.pieces

    def _read(self, cursor, schema, path, space):
        if isinstance(schema, list):
            branch = cursor.structure(path, cursor.zigzag)
            if not 0 <= branch < len(schema):
                raise Malformed(f"{path}: branch {branch} of {len(schema)}")
            return self._read(cursor, schema[branch], path, space)
        if isinstance(schema, str):
            full = _full_name(schema, space)
            named = self.named.get(full) or self.named.get(schema)
            return self._read(cursor, *((named[0], path, named[1]) if named else ({"type": schema}, path, space)))
        kind = schema["type"]
        if not isinstance(kind, str) or kind in self.named or _full_name(kind, space) in self.named:
            return self._read(cursor, kind, path, space)
        if kind == "record":
            inner = _full_name(schema["name"], schema.get("namespace", space)).rpartition(".")[0]
            return {field["name"]: self._read(cursor, field["type"], (*path, field["name"]), inner) for field in schema["fields"]}
        if kind in ("array", "map"):
            return self._block(cursor, schema, path, space)
        begin = cursor.at
        value = self._scalar(cursor, kind, schema)
        return value if kind == "null" else cursor.add(path, begin, value)

    def _block(self, cursor, schema, path, space):
        """All items are in one block, which has a count alone."""
        is_map = schema["type"] == "map"
        count, items = cursor.structure(path, cursor.zigzag), {} if is_map else []
        if count < 0:
            raise Malformed(f"{path}: a block with its size in bytes")
        for _ in range(count):
            if is_map:
                begin = cursor.at
                name = cursor.add(path, begin, cursor.take(cursor.zigzag()).decode())
                items[name] = self._read(cursor, schema["values"], (*path, name), space)
            else:
                items.append(self._read(cursor, schema["items"], path, space))
        if count and cursor.structure(path, cursor.zigzag) != 0:
            raise Malformed(f"{path}: a second block")
        return items

    @staticmethod
    def _scalar(cursor, kind, schema):
        if kind == "null":
            return None
        if kind == "boolean":
            byte = cursor.take(1)[0]
            if byte > 1:
                raise Malformed(f"{byte} is no boolean")
            return byte == 1
        if kind in ("int", "long"):
            return cursor.zigzag()
        if kind in ("float", "double"):
            return floating("<f", cursor.take(4)) if kind == "float" else floating("<d", cursor.take(8))
        if kind == "enum":
            return schema["symbols"][cursor.zigzag()]
        if kind == "fixed":
            return hexadecimal(cursor.take(schema["size"]))
        content = cursor.take(cursor.zigzag())
        if kind == "bytes":
            return hexadecimal(content)
        if kind == "string":
            return content.decode()
        raise Malformed(f"type {kind}")
