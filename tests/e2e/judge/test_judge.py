"""The judge: a running connector is broken in each of many ways, and status, console, metrics, readiness and doctor are asked whether
they say so, all of them within a quarter of a minute; of a healthy one they say nothing."""
import uuid

import pytest
from catalog_breaks import CATALOG
from kafka_breaks import KAFKA
from more_breaks import MORE
from postgres_breaks import POSTGRES
from support.judge import Patient, healthy, judge

BREAKS = {**CATALOG, **POSTGRES, **KAFKA, **MORE}
TABLES = "create table items (id int primary key, note text); create table other (id int primary key); insert into items values (1, 'one');"


def own_role(database, connector):
    """As CDC_ROLE, and of this connector alone."""
    role = f"cdc_{uuid.uuid4().hex[:10]}"
    database.server.query(f"create role {role} login replication password 'x' in role walduct_cdc")
    database.script(f'grant create, connect on database "{database.name}" to {role}')
    connector.config.update({"database.user": role, "database.password": "x"})
    return role


def companion(broken, connectors, databases, server):
    if not broken.ends:
        return None
    database = databases(server)
    database.script("create table calm (id int primary key)")
    calm = connectors(database, sink="file", name="calm")
    calm.write_files()
    return calm.dir / "connector.json"


@pytest.fixture
def patient_of(databases, connectors, private_servers, pg15, request):
    made, roles = [], []

    def make(broken):
        servers = private_servers(**broken.servers) if broken.servers else None
        database = databases(servers.postgres if servers else pg15)
        database.script(TABLES + broken.tables)
        config = dict(broken.config)
        own = config.pop("own role", False)
        connector = connectors(database, config, sink=broken.sink)
        connector.worker.update({name: value.format(dir=connector.dir) for name, value in broken.worker.items()})
        if servers and broken.sink == "kafka":
            connector.worker["bootstrap.servers"] = servers.bootstrap
        if own:
            roles.append((database, own_role(database, connector)))
        (connector.dir / "offsets").mkdir(exist_ok=True)
        made.append((Patient(connector, database, servers), broken))
        if broken.prepares is not None:
            broken.prepares(made[-1][0])
        return made[-1][0].start(companion(broken, connectors, databases, database.server))
    yield make
    for patient, broken in made:
        if broken.mends is not None:
            broken.mends(patient)
        patient.connector.close()
    for database, role in roles:
        database.script(f'reassign owned by {role} to postgres; drop owned by {role}')
        database.server.query(f"drop role {role}")


@pytest.mark.parametrize("name", BREAKS)
def test_a_break_is_told(name, patient_of):
    broken = BREAKS[name]
    patient = patient_of(broken)
    healthy(patient)
    broken.does(patient)
    judge(patient, broken)
