#!/usr/bin/env python3
"""Places an order: the order's row and its event in one transaction, so that both are there or neither.

    DATABASE_URL=postgres://shop@localhost/shop producer.py c7 99.90
"""
import os
import sys
from decimal import Decimal

import psycopg
from psycopg.types.json import Jsonb

ORDER = "INSERT INTO orders (customer, total) VALUES (%s, %s) RETURNING id"
EVENT = "INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('Order', %s, 'OrderPlaced', %s)"


def place_order(database, customer, total):
    with database.transaction():
        order, = database.execute(ORDER, (customer, total)).fetchone()
        event = {"orderId": order, "customer": customer, "total": str(total)}  # text: JSON has no decimals
        database.execute(EVENT, (str(order), Jsonb(event)))
    return order


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: producer.py CUSTOMER TOTAL")
    with psycopg.connect(os.environ.get("DATABASE_URL", "postgres://localhost/shop")) as database:
        print(f"placed {place_order(database, sys.argv[1], Decimal(sys.argv[2]))}")


if __name__ == "__main__":
    main()
