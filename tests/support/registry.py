"""A schema registry (Apicurio, in memory) as the tests see it: what is in it, and none of it."""
import json
import urllib.parse
import urllib.request


class RegistryView:
    """`url`: of the interface of Confluent's schema registry."""

    def __init__(self, url):
        self.url = url
        self.own = url.replace("/apis/ccompat/v7", "/apis/registry/v2")

    def ask(self, method, path, body=None, base=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request((base or self.url) + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def subjects(self):
        return self.ask("GET", "/subjects")

    def _own(self, path):
        return self.ask("GET", path, base=self.own)

    def _artifacts(self):
        """The names of all, of types that Confluent's interface does not know, too."""
        return [artifact["id"] for artifact in self._own("/groups/default/artifacts?limit=500")["artifacts"]]

    def _content(self, path):
        with urllib.request.urlopen(self.own + path, timeout=20) as answer:
            return answer.read().decode()

    def clear(self):
        """Takes out all schemas and settings; ids go on counting."""
        for name in self._artifacts():
            self.ask("DELETE", f"/groups/default/artifacts/{urllib.parse.quote(name, safe='')}", base=self.own)
        self.ask("DELETE", "/admin/rules", base=self.own)

    def entries(self):
        """Every version of every subject in the order of registration, with ids that count from 1: as the corpus has them."""
        found = []
        for subject in self._artifacts():
            path = f"/groups/default/artifacts/{urllib.parse.quote(subject, safe='')}"
            for one in self._own(f"{path}/versions?limit=500")["versions"]:
                found.append({"subject": subject, "version": int(one["version"]), "id": one["contentId"], "globalId": one["globalId"],
                              "schemaType": one["type"], "schema": self._content(f"{path}/versions/{one['version']}")})
        found.sort(key=lambda entry: entry["globalId"])
        self.ranks, self.global_ranks = {}, {}  # by the registry's own ids
        for rank, entry in enumerate(found, 1):
            self.global_ranks[entry["globalId"]] = rank
            entry["globalId"] = rank
            entry["id"] = self.ranks.setdefault(entry["id"], len(self.ranks) + 1)
        return found
