"""An application's own tests: its code writes, the events are looked at."""
import psycopg
import pytest
from psycopg.types.json import Jsonb

ORDERS = "CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text NOT NULL, total numeric NOT NULL CHECK (total > 0))"


def place_order(database, customer, total):
    """The code under test."""
    with database.transaction():
        database.execute("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('Order', %s, 'OrderPlaced', %s)",
                         (customer, Jsonb({"customer": customer, "total": total})))
        database.execute("INSERT INTO orders (customer, total) VALUES (%s, %s)", (customer, total))


@pytest.fixture
def database(outbox):
    with outbox.connect() as connection:
        connection.execute(ORDERS)
        yield connection


def test_an_order_is_told(database, outbox):
    place_order(database, "c7", "99.90")
    event, = outbox.events()
    assert (event.topic, event.key, event.type) == ("outbox.event.Order", "c7", "OrderPlaced")
    assert event.value == {"customer": "c7", "total": "99.90"}
    assert event.id


def test_an_order_that_fails_is_not(database, outbox):
    with pytest.raises(psycopg.errors.CheckViolation):
        place_order(database, "c7", "-1")
    assert outbox.events() == []


def test_events_come_once_and_in_order(database, outbox):
    for total in ("1", "2", "3"):
        place_order(database, "c7", total)
    assert [event.value["total"] for event in outbox.events()] == ["1", "2", "3"]
    place_order(database, "c8", "4")
    database.execute("DELETE FROM outbox")
    assert [event.key for event in outbox.events()] == ["c8"]
