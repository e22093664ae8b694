"""One transform of a chain, as the generator makes it."""
from dataclasses import dataclass, field

from differential.plan import MARKER

# Topics of tables: what is masked of transactions and messages is known by their topics.
TABLES = f"(?!.*({MARKER}|transaction|tx$|message)).*"
CONNECT = "org.apache.kafka.connect.transforms."
DEBEZIUM = "io.debezium.transforms."


@dataclass
class Link:
    type: str
    options: dict = field(default_factory=dict)
    predicate: tuple = ()  # (class, options, negate)
