"""How the samples of examples/outbox are built and started, as their README says, with what `scripts/deps samples` has downloaded."""
import os
import shutil
import subprocess
from urllib.parse import quote

from support.paths import DEPS, ROOT

EXAMPLES = ROOT / "examples" / "outbox"
SAMPLES = DEPS / "samples"
CACHE = DEPS / "cache"


def call(*command, cwd=None, environment=None, timeout_s=300):
    done = subprocess.run([str(a) for a in command], cwd=cwd, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=timeout_s)
    assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}"
    return done.stdout


def maven(directory, *arguments, environment=None):
    return call("mvn", "-B", "-q", "-o", f"-Dmaven.repo.local={CACHE / 'm2'}", "-f", directory / "pom.xml", *arguments, environment=environment)


GO = {"GOMODCACHE": str(CACHE / "go"), "GOPROXY": "off", "GOFLAGS": "-mod=readonly"}


class Language:
    """`build` makes `producer`, `consumer` and, where it `receives` webhooks, `webhook`, command lines, of a copy of the sample."""
    receives = True

    def __init__(self, directory):
        self.directory = directory
        shutil.copytree(EXAMPLES / self.name, directory)
        self.build()

    @staticmethod
    def missing():
        """Why it cannot be run here; empty: it can."""
        return ""

    @staticmethod
    def address(database):
        server = database.server
        return f"postgres://{server.user}:{quote(server.password, safe='')}@{server.host}:{server.port}/{database.name}"


class Python(Language):
    name = "python"

    def build(self):
        python = SAMPLES / "python" / "bin" / "python"
        self.producer = [python, self.directory / "producer.py"]
        self.consumer = [python, self.directory / "consumer.py"]
        self.webhook = [python, EXAMPLES.parent / "http" / "consumer.py"]


class Node(Language):
    name = "node"

    def build(self):
        (self.directory / "node_modules").symlink_to(SAMPLES / "outbox" / "node" / "node_modules")
        self.producer = ["node", self.directory / "producer.js"]
        self.consumer = ["node", self.directory / "consumer.js"]
        self.webhook = ["node", self.directory / "webhook.js"]


class Go(Language):
    name = "go"

    @staticmethod
    def missing():
        return "" if shutil.which("go") else "no go: Debian 12 has one that is too old for its libraries"

    def build(self):
        call("go", "vet", "./...", cwd=self.directory, environment=GO)
        (self.directory / "bin").mkdir()
        call("go", "build", "-o", self.directory / "bin", "./...", cwd=self.directory, environment=GO)
        self.producer = [self.directory / "bin" / "producer"]
        self.consumer = [self.directory / "bin" / "consumer"]
        self.webhook = [self.directory / "bin" / "webhook"]


class Java(Language):
    name = "java"

    @staticmethod
    def address(database):
        server = database.server
        return f"jdbc:postgresql://{server.host}:{server.port}/{database.name}?user={server.user}&password={quote(server.password, safe='')}"

    def build(self):
        maven(self.directory, "package")
        java = ["java", "-cp", f"{self.directory}/target/classes:{self.directory}/target/libs/*"]
        self.producer, self.consumer, self.webhook = ([*java, f"outbox.{one}"] for one in ("Producer", "Consumer", "Webhook"))


class CSharp(Language):
    name = "csharp"
    receives = False

    @staticmethod
    def missing():
        return "" if shutil.which("dotnet") else "no .NET SDK: none of the registries that tests use has it, nor NuGet's packages; compiled below"

    @staticmethod
    def address(database):
        server = database.server
        return f"Host={server.host};Port={server.port};Username={server.user};Password={server.password};Database={database.name}"

    def build(self):
        for program in ("Producer", "Consumer"):
            call("dotnet", "build", "-o", self.directory / "bin" / program, self.directory / program)
        self.producer = ["dotnet", self.directory / "bin" / "Producer" / "Producer.dll"]
        self.consumer = ["dotnet", self.directory / "bin" / "Consumer" / "Consumer.dll"]


LANGUAGES = [Python, Node, Go, Java, CSharp]
