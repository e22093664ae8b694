"""Shared by the tests that drive the binary: servers, databases, the process, Kafka, offsets, the real Debezium."""
