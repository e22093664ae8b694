"""Splits an SQL script into statements, as a client that sends one at a time must."""
import re

# Everything inside which a semicolon does not end the statement, or one ordinary character.
_TOKEN = re.compile(
    r"""--[^\n]*
      | /\*.*?\*/
      | (?<![A-Za-z0-9_])[eE]'(?:[^'\\]|\\.|'')*'
      | '(?:[^']|'')*'
      | "(?:[^"]|"")*"
      | \$([A-Za-z_][A-Za-z_0-9]*)?\$.*?\$(?(1)\1)\$
      | .""",
    re.DOTALL | re.VERBOSE,
)


def split_statements(script):
    """The statements of `script` without their semicolons; comments stay, empty statements go."""
    statements, current = [], []
    for token in _TOKEN.finditer(script):
        if token.group() == ";":
            statements.append("".join(current).strip())
            current = []
        else:
            current.append(token.group())
    statements.append("".join(current).strip())
    return [s for s in statements if s]
