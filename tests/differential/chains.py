"""Random chains of transforms. Both connectors run under errors.tolerance=all, so that a record a transform cannot take is left
out by both, and the ones that follow are compared all the same.

A chain never touches the marker table, by which a round knows that both have caught up; rows of snapshots are left out, and
moments near now are masked wherever they are: a transform may have moved them."""
import re
import time

from differential import limits, links, outbox_chains
from differential.limits import KNOWN, STRING
from differential.link import CONNECT
from differential.options import EVENTS, JSON, base

CHAIN = "chain"  # the one option that holds a chain


# --- the configuration ---

def properties(chain, prefix):
    """A chain as properties of a connector; {prefix} stands for the topic prefix."""
    names = [f"x{n}" for n in range(len(chain))]
    made = {"transforms": ",".join(names), "predicates": ",".join(f"p{n}" for n in names), "errors.tolerance": "all"}
    for name, link in zip(names, chain):
        kind, options, negate = link.predicate
        made |= {f"transforms.{name}.type": link.type, f"transforms.{name}.predicate": f"p{name}", f"predicates.p{name}.type": CONNECT + "predicates." + kind}
        if negate:
            made[f"transforms.{name}.negate"] = "true"
        made |= {f"transforms.{name}.{k}": v for k, v in link.options.items()}
        made |= {f"predicates.p{name}.{k}": v for k, v in options.items()}
    return {k: v.replace("{prefix}", prefix) for k, v in made.items()}


def expanded(options, prefix):
    """Options with their chain, if any, as properties."""
    rest = {k: v for k, v in options.items() if k != CHAIN}
    return {**rest, **properties(options[CHAIN], prefix)} if options.get(CHAIN) else rest


def told(options):
    """The same for files and terminals."""
    return expanded(options, "PREFIX")


# --- what changes in a round ---

_LEFT_OUT = re.compile("|".join(f"(?:{k.family})" for k in KNOWN if k.told != "text of floating point numbers"))


def left_out(column, options):
    """Columns with known differences: a transform may have renamed or rewritten what they would be known by."""
    chain = options.get(CHAIN, ())
    zones = any(link.type.endswith("TimezoneConverter") for link in chain)
    return bool(chain) and (_LEFT_OUT.fullmatch(column.type.family) is not None or (zones and "tz" in column.type.family))


def settle(options):
    """The other options of a round with a chain: no rows of a snapshot, whose LSNs differ between the two."""
    chosen = {k: v for k, v in options.items() if not k.startswith("snapshot.")}
    if chosen.get("value.converter") == EVENTS:  # a chain may take away what an event is made of
        chosen["value.converter"] = JSON
    if "header.converter" not in chosen and len(options[CHAIN]) % 3 == 0:
        chosen["header.converter"] = JSON  # which shows the schemas of headers
    if any("table.field.event.timestamp" in link.options for link in options[CHAIN]) and chosen.get("time.precision.mode") in ("isostring", "connect"):
        del chosen["time.precision.mode"]  # Debezium reads numbers only
    if any(link.options.get("target.type", link.options.get("value.literal", ""))[:2] in ("Da", "Ti", "20", "12") for link in options[CHAIN]):
        chosen |= {name: value for name, value in base().items() if chosen.get(name) == STRING}  # Java's Date there, in the machine's time zone
        chosen = {name: value for name, value in chosen.items() if (name, value) != ("header.converter", STRING)}
    if any(link.type.endswith("SwapGeometryCoordinates") for link in options[CHAIN]):
        chosen.pop("hstore.handling.mode", None)  # Debezium's stops at NULLs in such a map
    if any(link.type.endswith("ExtractSchemaToNewRecord") for link in options[CHAIN]):
        chosen = {k: v for k, v in chosen.items() if not k.startswith(("column.mask", "column.truncate", "datatype.propagate"))}
        chosen["column.propagate.source.type"] = ".*"
    return {**chosen, "snapshot.mode": "no_data"}


def with_chain(seed, plan, options, outbox=False):
    """The options with a chain; the plan gets the tables that it wants. `outbox`: one that begins with an EventRouter, as some do anyway."""
    if not outbox and seed % 5:
        return settle({**options, CHAIN: links.random_chain(seed, plan)})
    wanted = outbox_chains.settle(seed, options)

    def unfit(column):
        return bool(_LEFT_OUT.fullmatch(column.type.family)) or limits.left_out(column, wanted) or not limits.fits(column)
    return settle({**wanted, CHAIN: outbox_chains.random_chain(seed, plan, unfit, 60 if outbox else 20)})


# --- the comparison ---

_NUMBER = re.compile(rb"(?<![\d.])1\d{9}(?:\d{3}|\d{6}|\d{9})?(?![\d.])")


def mask_moments(events, begin):
    """Numbers that are a moment of this round, in any unit, become 0."""
    end = time.time() + 60

    def mask(found):
        digits = found.group()
        return b"0" if begin - 60 <= int(digits) / 10 ** (len(digits) - 10) <= end else digits

    return [event.rewritten(lambda text: text and _NUMBER.sub(mask, text)) for event in events]
