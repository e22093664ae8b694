"""What scripts/package makes: its parts, its pages, its units, what shells complete with it."""
import json
import re
import shutil
import subprocess
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "build" / "release" / "dist"
COMPLETION = ROOT / "deploy" / "completion"


def output(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, **options).stdout


@pytest.fixture(scope="module")
def package():
    subprocess.run([ROOT / "scripts" / "package"], check=True)
    [made] = DIST.glob("*.deb")
    return made


@pytest.fixture(scope="module")
def unpacked(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    return folder


def field(package, name):
    return output("dpkg-deb", "--field", package, name).strip()


def commands(unpacked):
    lines = output(unpacked / "usr/bin/walduct", "complete", "").splitlines()
    return [line.split("\t")[0] for line in lines]


def test_checksums(package):
    assert output("sha256sum", "--check", "SHA256SUMS", cwd=DIST).count(": OK") == 2


def test_version_is_the_program_s(package, unpacked):
    assert output(unpacked / "usr/bin/walduct", "version").startswith(f"walduct {field(package, 'Version').split('-')[0]}\n")


def test_list_of_parts_is_complete(package):
    parts = json.loads(package.with_suffix(".spdx.json").read_text())
    known = {part["SPDXID"]: part["name"] for part in parts["packages"]}
    linked = {re.match(r"[a-z0-9+.-]+", each.strip())[0] for each in field(package, "Depends").split(",")}
    named = {known[r["relatedSpdxElement"]] for r in parts["relationships"] if r["relationshipType"] == "DEPENDS_ON"}
    assert named == linked
    assert {"libc6", "libpq5", "libcurl4"} <= linked
    assert "librdkafka" in known.values()


def test_every_command_has_a_page(unpacked):
    pages = {path.name for path in (unpacked / "usr/share/man/man1").iterdir()}
    assert len(commands(unpacked)) > 8
    assert {"walduct.1.gz", "walduct-offsets-import.1.gz"} | {f"walduct-{c}.1.gz" for c in commands(unpacked)} <= pages


def test_pages_name_the_options(unpacked):
    page = output("zcat", unpacked / "usr/share/man/man1/walduct-run.1.gz").replace("\\-", "-")
    for word in output(unpacked / "usr/bin/walduct", "complete", "run", "--").splitlines():
        assert word.split("\t")[0] in page


def test_pages_name_documents_where_they_are(unpacked):
    named = {one for page in (unpacked / "usr/share/man/man1").iterdir()
             for one in re.findall(r"[^\s(\"']*docs/[\w-]+\.md", output("zcat", page).replace("\\-", "-"))}
    assert "/usr/share/doc/walduct/docs/recover.md" in named, named
    assert [one for one in named if not (unpacked / one.lstrip("/")).is_file()] == []


def test_links_of_the_documents_lead_somewhere(unpacked):
    documents = unpacked / "usr/share/doc/walduct"
    pages = sorted(documents.rglob("*.md"))
    assert len(pages) > 25 and documents / "examples" / "README.md" in pages
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)", page.read_text())]
    assert len(links) > 100
    assert [f"{page.relative_to(documents)}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_what_the_documents_speak_of_is_there(unpacked):
    documents = unpacked / "usr/share/doc/walduct"
    assert (documents / "deploy/prometheus/walduct.rules.yml").exists() and (documents / "deploy/grafana/walduct.json").exists()
    samples = documents / "examples" / "outbox"
    assert {path.name for path in samples.iterdir()} >= {"python", "java", "go", "node", "csharp", "shop.sql", "billing.sql"}
    assert not [path for path in documents.rglob("*") if path.name in ("node_modules", "target", "__pycache__")]


@pytest.mark.parametrize("name, more", [("walduct.yaml", {"Secret"}), ("walduct-group.yaml", set())])
def test_kubernetes_manifest(name, more):
    """Against the schemas of Kubernetes, unknown members included; what it mounts and runs is there."""
    manifest = ROOT / "deploy" / "kubernetes" / name
    documents = {document["kind"]: document for document in yaml.safe_load_all(manifest.read_text())}
    assert set(documents) >= {"ConfigMap", "Service", "StatefulSet", "PodDisruptionBudget", "NetworkPolicy"} | more
    for document in documents.values():
        kubernetes_validate.validate(document, "1.37", strict=True)
    pod = documents["StatefulSet"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    files = {Path(argument).name for argument in container["args"] if argument.startswith("/etc/walduct/")}
    assert files == set(documents["ConfigMap"]["data"])
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}


def test_kubernetes_configuration_is_valid(unpacked, tmp_path):
    documents = yaml.safe_load_all((ROOT / "deploy" / "kubernetes" / "walduct.yaml").read_text())
    [config] = [document["data"] for document in documents if document["kind"] == "ConfigMap"]
    for name, text in config.items():
        (tmp_path / name).write_text(text)
    output(unpacked / "usr/bin/walduct", "validate", "-f", tmp_path / "connector.json", "-w", tmp_path / "worker.properties",
           env={"DATABASE_PASSWORD": "x"})


# --- shells ---

BASH = """
source {script}
walduct() {{ {program} "$@"; }}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_walduct walduct "${{COMP_WORDS[COMP_CWORD]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def bash(unpacked, words, cwd):
    text = BASH.format(script=COMPLETION / "walduct.bash", program=unpacked / "usr/bin/walduct", words=words)
    return output("bash", "-c", text, cwd=cwd).split()


def test_bash_completes(unpacked, tmp_path):
    (tmp_path / "shop.json").touch()
    assert bash(unpacked, "walduct va", tmp_path) == ["validate"]
    assert bash(unpacked, "walduct run --log-format ''", tmp_path) == ["text", "json"]
    assert bash(unpacked, "walduct run --log-format = j", tmp_path) == ["json"]
    assert bash(unpacked, "walduct run -f sh", tmp_path) == ["shop.json"]


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
def test_fish_completes(unpacked, tmp_path):
    text = f"set -x PATH {unpacked}/usr/bin $PATH; source {COMPLETION}/walduct.fish; complete -C 'walduct run --log-format '"
    assert output("fish", "--no-config", "-c", text, cwd=tmp_path).split() == ["json", "text"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh here")
def test_zsh_takes_the_script():
    assert output("zsh", "-n", COMPLETION / "_walduct") == ""
