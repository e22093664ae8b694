#!/bin/sh
# The database of the consumer, beside the one with the outbox.
set -e
createdb -U postgres billing
psql -U postgres -v ON_ERROR_STOP=1 billing -f /billing.sql
