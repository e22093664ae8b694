"""Requests between workers of a group, signed as Kafka Connect signs them: by the tests' own hand."""
import base64
import hashlib
import hmac
import http.client
import json

from support.kafka import read_topics

HASHES = {"HmacSHA256": hashlib.sha256, "HmacSHA512": hashlib.sha512}


def session_records(bootstrap, configs_topic):
    """The values of session-key in the order of their records."""
    return [json.loads(event.value) for event in read_topics(bootstrap, configs_topic)
            if event.key is not None and event.value is not None and text_of(event.key) == "session-key"]


def text_of(value):
    return value.decode() if isinstance(value, bytes) else value


def key_of(record):
    return base64.b64decode(record["key"])


def signature(key, text, algorithm="HmacSHA256"):
    mac = hmac.new(key, text.encode(), HASHES[algorithm]).digest()
    return {"X-Connect-Authorization": base64.b64encode(mac).decode(), "X-Connect-Request-Signature-Algorithm": algorithm}


def send(port, method, target, body="", headers=None):
    """(status, the message of the error, or the body)"""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, target, body=body, headers={"Accept": "application/json", "Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    try:
        parsed = json.loads(text) if text else None
    except ValueError:
        parsed = text
    return answer.status, parsed["message"] if isinstance(parsed, dict) and "message" in parsed else parsed
