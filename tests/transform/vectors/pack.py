"""Packs the answers of RecordVectors.java into vectors.txt: texts that occur often become $name."""
import json, sys
rows = [json.loads(l) for l in open(sys.argv[1])]
def body(text): return json.loads(text)
c = next(r for r in rows if r["record"] == "c" and "value" in r["result"] and '"after"' in (r["result"]["value"] or ""))
env = c["result"]["value"]
def cut(text, start, end):
    i = text.index(start); j = text.index(end, i) + len(end); return text[i:j]
words = {}
words["row"] = cut(env, '{"type":"int32","optional":false,"field":"id"}', '"default":7,"field":"big"}')
words["source"] = cut(env, '{"type":"struct","fields":[{"type":"string","optional":false,"field":"version"}', '"field":"source"}')
words["tx"] = cut(env, '{"type":"struct","fields":[{"type":"string","optional":false,"field":"id"}', '"field":"transaction"}')
words["full"] = cut(env, '"id":1,"n":"x"', '"big":5000000000')
words["src"] = cut(env, '"source":{"version"', '"origin_lsn":null}')
words["clock"] = '"ts_ms":1700000000123,"ts_us":1700000000123456,"ts_ns":1700000000123456789'
words["nulls"] = '"v":null,"b":null,"ts":null,"d":null,"ct":null,"z":null,"by":null,"arr":null,"pt":null,"f":null,"big":1'
words["clocks"] = '{"type":"int64","optional":true,"field":"ts_ms"},{"type":"int64","optional":true,"field":"ts_us"},{"type":"int64","optional":true,"field":"ts_ns"}'
words["envelope"] = '{"type":"struct","fields":[$row],"optional":true,"name":"srv.public.cust.Value","field":"before"},{"type":"struct","fields":[$row],"optional":true,"name":"srv.public.cust.Value","field":"after"},$source,$tx,{"type":"string","optional":false,"field":"op"},$clocks'
words["key"] = '{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false,"name":"srv.public.cust.Key"},"payload":{"id":1}}'
def envelope(columns): return words["envelope"].replace("$row", "$" + columns)
def spatial(name, of_class): return next(r["result"]["value"] for r in rows if r["record"].startswith("spatial ") and '"pt":{"x"' in (r["result"].get("value") or "") and of_class in r["props"]["transforms.s0.type"])
for name, of_class in [("columns", "SwapGeometry"), ("texts", "VectorToJson")]:
    words[name] = cut(spatial(name, of_class), '{"type":"int32","optional":false,"field":"id"}', '"default":"dflt","field":"n"}')
    words["with" + name] = envelope(name)
    words["filled" + name] = cut(spatial(name, of_class), '"pt":{"x":', '"n":"x"')
def pack(text):
    assert "\n" not in text
    for name, word in words.items(): text = text.replace(word, "$" + name)
    return text
out = sys.stdout
for name, word in words.items(): out.write(f"word {name} {word}\n")
last = None
for r in rows:
    props = {k: v for k, v in r["props"].items()}
    if props != last:
        out.write("chain\n")
        for k, v in props.items(): out.write(f"  {k}={v}\n")
        last = props
    x = r["result"]; out.write(f"record {r['record']}\n")
    if "error" in x: out.write("  error " + x["error"].split(":")[0] + "\n"); continue
    if "dropped" in x: out.write("  dropped\n"); continue
    out.write(f"  topic {x['topic']}\n")
    if x["key"] is not None: out.write("  key " + pack(x["key"]) + "\n")
    if x["value"] is not None: out.write("  value " + pack(x["value"]) + "\n")
    for n, v in x["headers"]:
        if (n, v) == ("__debezium.context.taskId", "0"): n, v = "task", "0"
        out.write(f"  header {n}" + ("" if v is None else f" {v}") + "\n")
    if "partition" in x: out.write(f"  partition {x['partition']}\n")
    if "timestamp" in x: out.write(f"  timestamp {x['timestamp']}\n")
