"""A client of Kinesis, SQS and SNS as moto has them, which checks no signature; and a door in front of it that signatures, faults and
requests are seen at."""
import base64
import hashlib
import hmac
import http.server
import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request

REGION = "eu-central-1"
ACCOUNT = "123456789012"
KEY, SECRET = "AKIDTEST", "se/cr:et+"
ENVIRONMENT = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_EC2_METADATA_DISABLED": "true"}
TARGETS = {"kinesis": ("Kinesis_20131202", "1.1"), "sqs": ("AmazonSQS", "1.0")}


class AwsError(Exception):
    pass


def post(url, body, headers):
    request = urllib.request.Request(url, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read(), answer.headers.get("Content-Type", "")
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers.get("Content-Type", "")


class Aws:
    def __init__(self, url):
        self.url = url

    def reset(self):
        post(f"{self.url}/moto-api/reset", b"", {})

    def do(self, service, action, **arguments):
        """The answer of a service that speaks JSON."""
        target, version = TARGETS[service]
        status, body, _ = post(f"{self.url}/", json.dumps(arguments).encode(), {
            "Authorization": f"AWS4-HMAC-SHA256 Credential=test/20260101/{REGION}/{service}/aws4_request, SignedHeaders=host, Signature=0",
            "Content-Type": f"application/x-amz-json-{version}", "X-Amz-Target": f"{target}.{action}"})
        if status != 200:
            raise AwsError(f"{action}: {body.decode()}")
        return json.loads(body or b"{}")

    def create_stream(self, name, shards=1):
        self.do("kinesis", "CreateStream", StreamName=name, ShardCount=shards)

    def streams(self):
        return sorted(self.do("kinesis", "ListStreams", Limit=10000)["StreamNames"])

    def get_records(self, at):
        """What an iterator of a shard has now, and the next iterator. moto may fail while the stream is written to."""
        for attempts_left in reversed(range(10)):
            try:
                answer = self.do("kinesis", "GetRecords", ShardIterator=at, Limit=10000)
                return answer["Records"], answer.get("NextShardIterator")
            except AwsError:
                if attempts_left == 0:
                    raise

    def records(self, stream):
        """[(shard, partition key, data), ...]"""
        found = []
        for shard in self.do("kinesis", "ListShards", StreamName=stream)["Shards"]:
            at = self.do("kinesis", "GetShardIterator", StreamName=stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            while at:
                got, following = self.get_records(at)
                found += [(shard["ShardId"], one["PartitionKey"], base64.b64decode(one["Data"]).decode()) for one in got]
                at = got and following
        return found

    def create_queue(self, name, **attributes):
        """Its URL."""
        return self.do("sqs", "CreateQueue", QueueName=name, Attributes=attributes)["QueueUrl"]

    def take(self, url):
        """[(body, {attribute: text}, {name: attribute of the message}), ...]: what the queue has, which is gone from it then."""
        found = []
        while True:
            messages = self.do("sqs", "ReceiveMessage", QueueUrl=url, AttributeNames=["All"], MessageAttributeNames=["All"],
                               MaxNumberOfMessages=10).get("Messages", [])
            if not messages:
                return found
            for one in messages:
                attributes = {name: text for name, text in one.get("Attributes", {}).items() if name in ("MessageGroupId", "MessageDeduplicationId")}
                found.append((one["Body"], attributes, one.get("MessageAttributes", {})))
                self.do("sqs", "DeleteMessage", QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])

    def form(self, action, **arguments):
        """Of SNS: the answer's XML."""
        body = urllib.parse.urlencode({"Action": action, "Version": "2010-03-31", **arguments}).encode()
        status, answer, _ = post(f"{self.url}/", body, {
            "Authorization": f"AWS4-HMAC-SHA256 Credential=test/20260101/{REGION}/sns/aws4_request, SignedHeaders=host, Signature=0",
            "Content-Type": "application/x-www-form-urlencoded"})
        if status != 200:
            raise AwsError(f"{action}: {answer.decode()}")
        return answer.decode()

    def create_topic(self, name, queue=None, raw=False, **attributes):
        """A topic of SNS, which a queue is subscribed to, with raw delivery if asked; URL of that."""
        queue = queue or f"sub-{name}"
        more = {f"Attributes.entry.{number}.{part}": text for number, pair in enumerate(attributes.items(), 1) for part, text in zip(("key", "value"), pair)}
        self.form("CreateTopic", Name=name, **more)
        fifo = {"FifoQueue": "true", "ContentBasedDeduplication": "true"} if name.endswith(".fifo") else {}
        url = self.create_queue(queue, **fifo)
        how = {"Attributes.entry.1.key": "RawMessageDelivery", "Attributes.entry.1.value": "true"} if raw else {}
        self.form("Subscribe", TopicArn=arn_of(name), Protocol="sqs", Endpoint=arn_of(queue, "sqs"), **how)
        return url


def arn_of(name, service="sns"):
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{name}"


def signature_is_right(headers, body, secret=SECRET):
    """Signature Version 4 of a POST to /, computed anew."""
    parts = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/([^/]+)/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$", headers["Authorization"])
    _, date, region, service, signed, signature = parts.groups()
    names = signed.split(";")
    lines = "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in names)
    request = f"POST\n/\n\n{lines}\n{signed}\n{hashlib.sha256(body).hexdigest()}"
    text = f"AWS4-HMAC-SHA256\n{headers['X-Amz-Date']}\n{date}/{region}/{service}/aws4_request\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = f"AWS4{secret}".encode()
    for part in (date, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest() == signature and "host" in names


class Door:
    """Lets requests through to moto, or does to the next ones what `faults` say, one each: "ok", "500", "close", "lost" (moto takes it, nobody answers), "throttle", "denied", "part" (every second
    record is refused). judge(number, action): what befalls each request. While `away` connections are cut."""

    ERRORS = {"500": (500, "InternalFailure"), "throttle": (400, "ThrottlingException"), "denied": (400, "AccessDeniedException")}

    def __init__(self, url, faults=(), secret=SECRET):
        self.behind, self.faults, self.away, self.requests, self.unsigned = url, list(faults), False, [], []
        self.judge = lambda number, action: self.faults.pop(0) if self.faults else "ok"
        door, lock = self, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                target = self.headers.get("X-Amz-Target")
                action = target.rpartition(".")[2] if target else re.search(rb"Action=(\w+)", body)[1].decode()
                with lock:
                    if secret and not signature_is_right(self.headers, body, secret):
                        door.unsigned.append(action)
                    fault = "close" if door.away else door.judge(len(door.requests), action)
                    door.requests.append((action, body, fault))
                self.answer(body, target, action, fault)

            def answer(self, body, target, action, fault):
                if fault == "close":
                    self.close_connection = True
                    return
                if fault in door.ERRORS:
                    status, code = door.ERRORS[fault]
                    text = json.dumps({"__type": code, "message": code}) if target else (
                        f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{code}</Message></Error></ErrorResponse>")
                    return self.reply(status, text.encode(), "application/x-amz-json-1.1")
                whole = PARTS[action](body) if fault == "part" and action in PARTS else None
                status, answer, kind = door.forward(self.headers, whole.kept if whole else body)
                if fault == "lost":
                    self.close_connection = True
                    return
                self.reply(status, whole.answer(answer) if whole else answer, kind)

            def reply(self, status, body, kind):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def forward(self, headers, body):
        kept = {name: headers[name] for name in ("Content-Type", "X-Amz-Target", "Authorization", "X-Amz-Date") if name in headers}
        return post(f"{self.behind}/", body, kept)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class KinesisPart:
    """Of PutRecords every second record."""

    def __init__(self, body):
        self.all = json.loads(body)
        self.kept = json.dumps({**self.all, "Records": self.all["Records"][::2]}).encode()

    def answer(self, answer):
        taken = iter(json.loads(answer)["Records"])
        records = [{"ErrorCode": "ProvisionedThroughputExceededException", "ErrorMessage": "Rate exceeded"} if number % 2 else next(taken)
                   for number in range(len(self.all["Records"]))]
        return json.dumps({"FailedRecordCount": len(records) // 2, "Records": records}).encode()


class SqsPart:
    """The same of SendMessageBatch."""

    def __init__(self, body):
        self.all = json.loads(body)
        self.kept = json.dumps({**self.all, "Entries": self.all["Entries"][::2]}).encode()

    def answer(self, answer):
        failed = [{"Id": one["Id"], "Code": "InternalError", "Message": "no", "SenderFault": False} for one in self.all["Entries"][1::2]]
        return json.dumps({**json.loads(answer), "Failed": failed}).encode()


class SnsPart:
    """The same of PublishBatch."""
    ENTRY = "PublishBatchRequestEntries.member."

    def __init__(self, body):
        form = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))
        numbers = sorted({int(name.split(".")[2]) for name in form if name.startswith(self.ENTRY)})
        kept = {name: text for name, text in form.items() if not name.startswith(self.ENTRY)}
        for new, old in enumerate(numbers[::2], 1):
            kept |= {f"{self.ENTRY}{new}.{name.split('.', 3)[3]}": text for name, text in form.items() if name.startswith(f"{self.ENTRY}{old}.")}
        self.kept = urllib.parse.urlencode(kept).encode()
        self.failed = [form[f"{self.ENTRY}{number}.Id"] for number in numbers[1::2]]

    def answer(self, answer):
        failed = "".join(f"<member><Id>{one}</Id><Code>InternalError</Code><Message>no</Message><SenderFault>false</SenderFault></member>"
                         for one in self.failed)
        return re.sub(r"<Failed\s*/>|<Failed>\s*</Failed>|(?=</PublishBatchResult>)", f"<Failed>{failed}</Failed>", answer.decode(), count=1).encode()


PARTS = {"PutRecords": KinesisPart, "SendMessageBatch": SqsPart, "PublishBatch": SnsPart}
