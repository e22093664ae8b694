"""Reads Protobuf by the text of a schema, piece by piece. Google's compiler reads the text."""
from google.protobuf.descriptor import FieldDescriptor as Field

from recorded.pieces import Cursor, Malformed, Piece, floating, hexadecimal
from support.protobuf_reader import compiled

_LENGTH_DELIMITED = 2
_FLOATING = {Field.TYPE_DOUBLE: ("<d", 8), Field.TYPE_FLOAT: ("<f", 4)}
_FIXED = {Field.TYPE_FIXED32: (4, False), Field.TYPE_SFIXED32: (4, True), Field.TYPE_FIXED64: (8, False), Field.TYPE_SFIXED64: (8, True)}
_ZIGZAG = {Field.TYPE_SINT32, Field.TYPE_SINT64}
_UNSIGNED = {Field.TYPE_UINT32, Field.TYPE_UINT64}
_HAVE_LENGTHS = {Field.TYPE_STRING, Field.TYPE_BYTES, Field.TYPE_MESSAGE}


class Protobuf:
    def __init__(self, text, references=()):
        assert not references, "no recording has any"
        try:
            self.messages = [message.DESCRIPTOR for message in compiled(text)]
        except AssertionError as error:
            raise Malformed(error) from None

    def decode(self, body, at=0):
        """(value, pieces). Before the message stands which of the schema's it is: the indexes on the way to it, none for the first."""
        cursor = Cursor(body, at)
        indexes = [cursor.structure((), cursor.zigzag) for _ in range(cursor.structure((), cursor.zigzag))] or [0]
        message = self.messages[indexes[0]]
        for index in indexes[1:]:
            message = message.nested_types[index]
        return self._message(cursor, message, len(body), ()), cursor.pieces

    def _message(self, cursor, message, end, path):
        found = {}
        while cursor.at < end:
            tag = cursor.structure(path, cursor.varint)
            field = message.fields_by_number.get(tag >> 3)
            if field is None:
                raise Malformed(f"{path}: field {tag >> 3} is not in {message.full_name}")
            self._field(cursor, field, tag & 7, (*path, field.name), found)
        if cursor.at != end:
            raise Malformed(f"{path}: a message ends behind its length")
        return found

    def _field(self, cursor, field, wire, path, found):
        if not field.is_repeated:
            if field.name in found:
                raise Malformed(f"{path}: twice")
            found[field.name] = self._value(cursor, field, path)
            return
        values = found.setdefault(field.name, [])
        if wire != _LENGTH_DELIMITED or field.type in _HAVE_LENGTHS:
            values.append(self._value(cursor, field, path))
            return
        end = cursor.structure(path, cursor.varint) + cursor.at
        while cursor.at < end:
            values.append(self._value(cursor, field, path))

    def _value(self, cursor, field, path):
        begin = cursor.at
        if field.type != Field.TYPE_MESSAGE:
            value = self._scalar(cursor, field)
            return cursor.add(path, begin, value)
        end = cursor.varint() + cursor.at
        length = Piece(path, cursor.body[begin:cursor.at])
        cursor.pieces.append(length)
        before = len(cursor.pieces)
        value = self._message(cursor, field.message_type, end, path)
        length.inside = len(cursor.pieces) - before
        return value

    @staticmethod
    def _scalar(cursor, field):
        if field.type in _FLOATING:
            form, size = _FLOATING[field.type]
            return floating(form, cursor.take(size))
        if field.type in _FIXED:
            size, signed = _FIXED[field.type]
            return int.from_bytes(cursor.take(size), "little", signed=signed)
        if field.type in _ZIGZAG:
            return cursor.zigzag()
        number = cursor.varint()
        if field.type == Field.TYPE_STRING:
            return cursor.take(number).decode()
        if field.type == Field.TYPE_BYTES:
            return hexadecimal(cursor.take(number))
        if field.type == Field.TYPE_BOOL:
            return number != 0
        if field.type == Field.TYPE_ENUM:
            label = field.enum_type.values_by_number.get(number)
            return label.name if label else number
        return number if field.type in _UNSIGNED or number < 1 << 63 else number - (1 << 64)
