"""A private certificate authority, made with openssl."""
import os
import pwd
import ssl
import subprocess


def _openssl(*arguments, **kwargs):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, **kwargs)
    assert done.returncode == 0, f"openssl {arguments}: {done.stderr}"


class Authority:
    def __init__(self, directory, name="test authority"):
        self.dir = directory
        directory.mkdir(parents=True, exist_ok=True)
        self.certificate, self._key = directory / "ca.pem", directory / "ca.key"
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                 "-subj", f"/CN={name}", "-keyout", self._key, "-out", self.certificate)

    def issue(self, name, hosts=(), expired=False):
        """(certificate, key) as PEM files; hosts: names and addresses that the certificate holds."""
        certificate, key, request = (self.dir / f"{name}.{kind}" for kind in ("pem", "key", "csr"))
        _openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        alternatives = ",".join(f"{'IP' if host[0].isdigit() else 'DNS'}:{host}" for host in hosts)
        extensions = self.dir / f"{name}.ext"
        extensions.write_text(f"subjectAltName={alternatives}\n" if hosts else "basicConstraints=CA:FALSE\n")
        validity = ["-not_before", "20200101000000Z", "-not_after", "20200201000000Z"] if expired else ["-days", "2"]
        if expired and "-not_before" not in subprocess.run(["openssl", "x509", "-help"], capture_output=True, text=True).stderr:
            validity = ["-days", "-1"]  # before OpenSSL 3.4 it can only end before it begins
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
                 "-extfile", extensions, *validity, "-out", certificate)
        key.chmod(0o600)
        return certificate, key


def give_to_postgres(*paths):
    """The server refuses a key that others may read, and runs as its own user when the tests run as root."""
    if os.getuid() == 0:
        owner = pwd.getpwnam("postgres")
        for path in paths:
            os.chown(path, owner.pw_uid, owner.pw_gid)


def trusting(authority, identity=None):
    """Of a client: whom it trusts, and its own certificate."""
    context = ssl.create_default_context(cafile=str(authority.certificate))
    if identity:
        context.load_cert_chain(*map(str, identity))
    return context
