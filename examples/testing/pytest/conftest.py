pytest_plugins = ["walduct_outbox"]
