"""The chains and records that vectors.txt was recorded with, as lines of JSON for RecordVectors.java."""
import json
K="org.apache.kafka.connect.transforms."
D="io.debezium.transforms."
ALL=["c","sparse","u","utx","d","dk","tombstone","t","nokey","heartbeat"]
out=[]
def case(records,*stages,**preds):
    props={"transforms":",".join("s%d"%i for i in range(len(stages)))}
    if preds: props["predicates"]=",".join(preds)
    for p,(t,o) in preds.items():
        props["predicates.%s.type"%p]=K+"predicates."+t
        for k,v in o.items(): props["predicates.%s.%s"%(p,k)]=v
    for i,(t,o) in enumerate(stages):
        props["transforms.s%d.type"%i]=t
        for k,v in o.items(): props["transforms.s%d.%s"%(i,k)]=v
    out.append({"props":props,"records":records})
def kk(n,o={}): return (K+n,o)
def d(n,o={}): return (D+n,o)
U=d("ExtractNewRecordState")
# regex router
case(ALL,kk("RegexRouter",{"regex":"srv\\.public\\.(.*)","replacement":"$1"}))
case(["c"],kk("RegexRouter",{"regex":"srv\\.(?<s>[^.]+)\\.(.*)","replacement":"${s}-$2"}))
case(["c"],kk("RegexRouter",{"regex":"nomatch","replacement":"x"}))
# unwrap
for m in ["drop","tombstone","rewrite","rewrite-with-tombstone","delete-to-tombstone"]:
    case(ALL,d("ExtractNewRecordState",{"delete.tombstone.handling.mode":m}))
    case(ALL,d("ExtractNewRecordState",{"delete.tombstone.handling.mode":m,"add.fields":"op,table,source.ts_ms,lsn:l","add.headers":"op,db,transaction.id"}))
case(ALL,d("ExtractNewRecordState",{"add.fields":"id,total_order,transaction.id,nosuch,before.nn,source.snapshot,snapshot,ts_ms,ts_us,ts_ns"}))
case(ALL,d("ExtractNewRecordState",{"add.fields":"op,ts_ms","add.fields.prefix":"","add.headers":"op,source.table:t","add.headers.prefix":"h."}))
case(ALL,d("ExtractNewRecordState",{"add.fields":"foo.bar"}))
case(ALL,d("ExtractNewRecordState",{"add.fields":"source.nosuch,before"}))
case(ALL,d("ExtractNewRecordState",{"route.by.field":"nn"}))
case(ALL,d("ExtractNewRecordState",{"route.by.field":"nn","delete.tombstone.handling.mode":"rewrite"}))
case(["c","sparse"],d("ExtractNewRecordState",{"route.by.field":"id"}))
case(["c","sparse"],d("ExtractNewRecordState",{"route.by.field":"nosuch"}))
case(["c","sparse"],d("ExtractNewRecordState",{"route.by.field":"n"}))
case(["c","sparse"],d("ExtractNewRecordState",{"delete.tombstone.handling.mode":"rewrite","replace.null.with.default":"false"}))
case(["sparse"],d("ExtractNewRecordState",{"delete.tombstone.handling.mode":"rewrite","replace.null.with.default":"false","add.fields":"op"}))
case(["c","u","d","dk"],d("ExtractChangedRecordState",{"header.changed.name":"ch","header.unchanged.name":"un"}))
for o in [{}, {"drop.fields.from.key":"true"}, {"drop.fields.keep.schema.compatible":"false"}, {"drop.fields.keep.schema.compatible":"false","drop.fields.from.key":"true"}]:
    case(["u","c","d","tombstone"],d("ExtractChangedRecordState",{"header.changed.name":"ch","header.unchanged.name":"un"}),d("ExtractNewRecordState",dict(o,**{"drop.fields.header.name":"un"})))
# by logical
for o in [{}, {"key.enforce.uniqueness":"false"},{"key.field.name":"shard","key.field.regex":"srv\\.(.*)\\.cust","key.field.replacement":"$1"},{"key.field.regex":"nomatch","key.field.replacement":"$0"}]:
    case(ALL,d("ByLogicalTableRouter",dict({"topic.regex":"(.*)cust","topic.replacement":"$1all"},**o)))
case(ALL,d("ByLogicalTableRouter",{"topic.regex":"(.*)debezium(.*)","topic.replacement":"hb"}))
case(["c"],d("ByLogicalTableRouter",{"topic.regex":"(.*)","topic.replacement":""}))
case(["c"],d("ByLogicalTableRouter",{"topic.regex":"(.*)cust","topic.replacement":"$1a-b c"}))
case(["c"],d("ByLogicalTableRouter",{"topic.regex":"(.*)cust","topic.replacement":"$1a-b c","schema.name.adjustment.mode":"avro"}))
case(["c"],U,d("ByLogicalTableRouter",{"topic.regex":"(.*)cust","topic.replacement":"$1all"}))
# built-ins, on envelope and unwrapped
def both(recs,*s):
    case(recs,*s); case(recs,U,*s)
I={"topic.field":"t!","partition.field":"p","timestamp.field":"tm?","static.field":"s","static.value":"v"}
for w in ["Key","Value"]:
    both(ALL,kk("InsertField$"+w,I))
    both(["c","nokey"],kk("InsertField$"+w,{"static.field":"id","static.value":"v"}))
    both(["c","tombstone"],kk("InsertField$"+w,{"partition.field":"p!"}))
    both(ALL,kk("HoistField$"+w,{"field":"k"}))
    both(ALL,kk("ExtractField$"+w,{"field":"id"}))
    both(ALL,kk("Flatten$"+w,{"delimiter":"_"}))
    both(ALL,kk("MaskField$"+w,{"fields":"id"}))
    both(ALL,kk("ReplaceField$"+w,{"renames":"id:ident"}))
    both(ALL,kk("SetSchemaMetadata$"+w,{"schema.name":"my.Name","schema.version":"3"}))
    both(ALL,kk("Cast$"+w,{"spec":"id:string"}))
    both(ALL,kk("HeaderFrom$"+w,{"fields":"id","headers":"h","operation":"move"}))
    both(ALL,kk("TimestampConverter$"+w,{"field":"ts","target.type":"string","format":"yyyy-MM-dd'T'HH:mm:ss.SSS","unix.precision":"microseconds"}))
for f in ["after","before","op","source","transaction","ts_ms"]:
    case(["c","sparse","u","d","tombstone","t"],kk("ExtractField$Value",{"field":f}))
    case(["u"],kk("ExtractField$Value",{"field":f,"replace.null.with.default":"false"}))
for f in ["after.nn","source.snapshot","before.id","after.pt.x","`after`.n","nosuch.x","after.nosuch"]:
    case(["c","sparse","d","tombstone"],kk("ExtractField$Value",{"field":f,"field.syntax.version":"V2"}))
for f in ["n","v","b","ts","d","ct","z","by","arr","pt","f","big"]:
    case(["c","sparse"],U,kk("ExtractField$Value",{"field":f}))
    case(["c","sparse"],U,kk("ExtractField$Value",{"field":f,"replace.null.with.default":"false"}))
    case(["c","sparse"],U,kk("ExtractField$Value",{"field":f}),kk("Cast$Value",{"spec":"string"}))
    case(["c","sparse"],U,kk("MaskField$Value",{"fields":f}))
    case(["c","sparse"],U,kk("MaskField$Value",{"fields":f,"replacement":"12"}))
    for t in ["int8","int16","int32","int64","float32","float64","boolean","string"]:
        case(["c","sparse"],U,kk("Cast$Value",{"spec":f+":"+t}))
    case(["c","sparse"],U,kk("HeaderFrom$Value",{"fields":f+",id","headers":"h1,h2","operation":"copy"}))
    for t in ["string","unix","Date","Time","Timestamp"]:
        case(["c","sparse"],U,kk("TimestampConverter$Value",{"field":f,"target.type":t,"format":"yyyy-MM-dd HH:mm:ss"}))
for p in ["seconds","milliseconds","microseconds","nanoseconds"]:
    for f in ["ts","ct"]:
        case(["c","sparse"],U,kk("TimestampConverter$Value",{"field":f,"target.type":"unix","unix.precision":p}))
        case(["c","sparse"],U,kk("TimestampConverter$Value",{"field":f,"target.type":"Timestamp","unix.precision":p}))
for fm in ["yy","yyyy","y","M","MM","MMM","MMMM","d","dd","H","HH","h","hh","k","K","m","s","S","SSS","SSSSSS","a","E","EEE","EEEE","EEEEE","D","DDD","u","Z","X","XX",3 * "X","z","zzzz","G","w","W","F","YYYY","''","'T''x'","yyyyMMddHHmmss","LLLL"]:
    case(["c"],U,kk("TimestampConverter$Value",{"field":"ct","target.type":"string","format":fm}))
case(["c"],U,kk("TimestampConverter$Value",{"field":"nosuch","target.type":"unix"}))
case(["c"],U,kk("ExtractField$Value",{"field":"ts"}),kk("TimestampConverter$Value",{"target.type":"Timestamp","unix.precision":"microseconds"}))
case(["c","sparse"],U,kk("TimestampConverter$Value",{"field":"z","target.type":"Timestamp","format":"yyyy-MM-dd'T'HH:mm:ss"}))
case(["c","sparse"],U,kk("TimestampConverter$Value",{"field":"z","target.type":"unix","format":"yyyy-MM-dd"}))
for o in [{"exclude":"n,v"},{"include":"id,nn"},{"include":"id,nn","exclude":"nn"},{"exclude":"n","renames":"v:w,nn:n"},{"renames":"v:nn"},{"exclude":"nosuch"},{"renames":"n:m","replace.null.with.default":"false"}]:
    case(["c","sparse"],U,kk("ReplaceField$Value",o))
both(ALL,kk("ValueToKey",{"fields":"nn,id"}))
case(["c","sparse"],U,kk("ValueToKey",{"fields":"n"}))
case(["c","sparse"],U,kk("ValueToKey",{"fields":"nosuch"}))
case(["c","sparse"],U,kk("ValueToKey",{"fields":"nn"}),kk("ExtractField$Key",{"field":"nn"}))
case(["c","sparse"],U,kk("ValueToKey",{"fields":"n"}),kk("ExtractField$Key",{"field":"n"}))
case(["c","sparse"],U,kk("ValueToKey",{"fields":"v"}),kk("ExtractField$Key",{"field":"v"}),kk("Cast$Key",{"spec":"string"}))
case(["c","d","tombstone","t"],kk("TimestampRouter"))
for lit in ["12","300","70000","5000000000","99999999999999999999","-5","1.5","1.50","3.4e5","1e400","true","FALSE","null","abc","a b"," x ","\"q\"","\"a\\\"b\"","[1,2]","[1,\"a\"]","[]","{}","{\"a\":1}","2020-01-02","2020-01-02T03:04:05.678Z","03:04:05.678Z","","[1,2","007","+3","0x10","NaN","a,b"]:
    case(["c","tombstone"],kk("InsertHeader",{"header":"h","value.literal":lit}))
case(["c","tombstone"],kk("InsertHeader",{"header":"h","value.literal":"1"}),kk("InsertHeader",{"header":"h","value.literal":"2"}),kk("InsertHeader",{"header":"g","value.literal":"2"}),kk("DropHeaders",{"headers":"h, nosuch"}))
case(ALL,kk("Filter"))
for p,o in [("RecordIsTombstone",{}),("TopicNameMatches",{"pattern":"srv.*"}),("HasHeaderKey",{"name":"__debezium.context.taskId"}),("HasHeaderKey",{"name":"x"})]:
    case(ALL,(K+"Filter",{"predicate":"p"}),p=(p,o))
    case(ALL,(K+"Filter",{"predicate":"p","negate":"true"}),p=(p,o))
case(["c","tombstone"],kk("RegexRouter",{"regex":"srv\\.(.*)","replacement":"x.$1"}),(K+"Filter",{"predicate":"p"}),p=("TopicNameMatches",{"pattern":"srv.*"}))
case(["c","tombstone"],kk("RegexRouter",{"regex":"srv\\.(.*)","replacement":"x.$1"}),(K+"Filter",{"predicate":"p"}),p=("TopicNameMatches",{"pattern":"x.*"}))
for f in ["n","nn","after"]:
    case(["c","sparse"],U,(K+"ExtractField$Value",{"field":f}),(K+"Filter",{"predicate":"p"}),p=("RecordIsTombstone",{}))
    case(["c","sparse"],U,(K+"ExtractField$Value",{"field":f,"replace.null.with.default":"false"}),(K+"Filter",{"predicate":"p"}),p=("RecordIsTombstone",{}))
case(["c","sparse","tombstone"],U,kk("ExtractField$Value",{"field":"v"}),kk("HoistField$Value",{"field":"x"}))
case(["c","sparse","tombstone"],U,kk("ExtractField$Value",{"field":"n"}),kk("HoistField$Value",{"field":"x"}),kk("InsertField$Value",{"static.field":"s","static.value":"1"}))
case(["c","tombstone"],kk("HoistField$Value",{"field":"x"}),kk("InsertField$Value",{"static.field":"s","static.value":"1","topic.field":"t"}))
case(["c","tombstone"],kk("HoistField$Value",{"field":"x"}),kk("ReplaceField$Value",{"renames":"x:y"}))
case(["c","tombstone"],kk("HoistField$Value",{"field":"x"}),kk("Cast$Value",{"spec":"x:string"}))
case(["tombstone"],kk("HoistField$Value",{"field":"x"}),kk("ExtractField$Value",{"field":"x"}))
case(["tombstone"],kk("HoistField$Value",{"field":"x"}),kk("Flatten$Value",{}))
# header to value, partition routing, timezone
for op in ["move","copy"]:
    both(["c","u","d","tombstone","heartbeat"],d("HeaderToValue",{"headers":"__debezium.context.taskId","fields":"task","operation":op}))
    both(["c","tombstone"],d("HeaderToValue",{"headers":"nosuch","fields":"task","operation":op}))
    case(["c","d"],d("HeaderToValue",{"headers":"__debezium.context.taskId","fields":"after.task","operation":op}))
    case(["c","d"],d("HeaderToValue",{"headers":"__debezium.context.taskId,nosuch","fields":"source.task,after.x","operation":op}))
for fn in ["java","murmur"]:
    for f in ["after.nn","change.nn","change.id","change.big","change.f","change.b","change.v","after.nn,after.id","nn","source.table","op","change.n","change.ts","after.nosuch","change.arr","change.by"]:
        case(["c","sparse","d","dk","tombstone","t","heartbeat"],("io.debezium.transforms.partitions.PartitionRouting",{"partition.payload.fields":f,"partition.topic.num":"1000003","partition.hash.function":fn}))
case(["c","sparse"],U,("io.debezium.transforms.partitions.PartitionRouting",{"partition.payload.fields":"nn","partition.topic.num":"7"}))
for z in ["+05:30","America/New_York","Asia/Kolkata","-03:00"]:
    both(["c","sparse","d","tombstone"],d("TimezoneConverter",{"converted.timezone":z}))
for o in [{"include.list":"source:cust:z"},{"include.list":"topic:srv.public.cust:z,source:other"},{"include.list":"cust:z"},{"exclude.list":"source:cust:z"},{"exclude.list":"cust"},{"include.list":"source:cust"},{"include.list":"nosuch:z"},{"exclude.list":"source:cust:ts"}]:
    both(["c","d"],d("TimezoneConverter",dict({"converted.timezone":"+05:30"},**o)))
# outbox
OUT=["outbox","outbox_read","outbox_update","outbox_delete","outbox_truncate","outbox_tombstone","outbox_sparse","outbox_blank","outbox_no_route","outbox_empty_route"]
def ob(records,o): case(records,d("outbox.EventRouter",o))
KEY="table.field.event.key"; TS="table.field.event.timestamp"; PLACE="table.fields.additional.placement"; EXP={"table.expand.json.payload":"true"}
ob(OUT+["heartbeat","c","tombstone"],{})
for b in ["warn","error","fatal"]: ob(["outbox_update"],{"table.op.invalid.behavior":b})
for o in [{"route.by.field":"type"},{"route.by.field":"tenant"},{"route.by.field":"num"},{"route.by.field":"nosuch"},{"route.topic.replacement":"${routedByValue}"},{"route.topic.replacement":"all.events"},{"route.topic.regex":"(?<r>[A-Z])(.*)","route.topic.replacement":"${r}-$2"},{"route.topic.regex":"nomatch","route.topic.replacement":"x"},{"route.topic.regex":"(O)r.*","route.topic.replacement":"$1"}]:
    ob(["outbox","outbox_sparse","outbox_no_route"],o)
for f in ["type","num","bin","f","small","tenant","ts","payload","nosuch","zts"]: ob(["outbox","outbox_sparse"],{KEY:f})
for f in ["type","num","bin","tenant","nosuch"]: ob(["outbox","outbox_sparse"],{"table.field.event.id":f})
for f in ["type","num","bin","tenant","f","nosuch"]:
    ob(["outbox","outbox_sparse"],{"table.field.event.payload":f})
    ob(["outbox","outbox_sparse"],{"table.field.event.payload":f,"route.tombstone.on.empty.payload":"true"})
for f in ["ts","num","small","type","nosuch"]: ob(["outbox","outbox_sparse"],{TS:f})
for p in ["type:header","type:header:eventType","type:header:eventType,tenant:header,num:header:n","bin:header,f:header,ts:header,zts:header","payload:header","type:envelope","type:envelope:eventType,tenant:envelope:tenantId","part:partition","part:partition,type:header:t,tenant:envelope"," type : header : eventType , part : partition ","small:partition","num:partition","nosuch:header","nosuch:envelope","nosuch:partition","type:envelope:payload","id:header:id"]:
    ob(["outbox","outbox_sparse"],{PLACE:p})
    ob(["outbox","outbox_sparse"],{PLACE:p,"table.field.additional.missing":"ignore"})
    ob(["outbox"],dict(EXP,**{PLACE:p}))
for v in ["ver","small","nosuch"]:
    ob(["outbox","outbox_sparse"],{"table.field.event.schema.version":v})
    ob(["outbox","outbox_sparse"],{"table.field.event.schema.version":v,PLACE:"tenant:envelope"})
ob(OUT,{"route.tombstone.on.empty.payload":"true"})
ob(OUT,{"route.tombstone.on.empty.payload":"true",PLACE:"type:envelope,tenant:header"})
ob(OUT,dict(EXP,**{"route.tombstone.on.empty.payload":"true"}))
ob(OUT,EXP)
JSON=['{}','{"a":1}','{"a":2147483648,"b":-2147483649,"c":9223372036854775807}','{"a":9223372036854775808}','{"a":1.10,"b":1e400,"c":-0,"d":-0.0,"e":1E2,"f":123456789012345678901234567890.5}','{"a":true,"b":false,"c":"x\\u00e9\\n\\"","d":null}','{"a":[]}','{"a":[1,2]}','{"a":[null,1]}','{"a":[null]}','{"a":[1,2.5]}','{"a":[1,"x"]}','{"a":[1,5000000000]}','{"a":[[1],[2,3]]}','{"a":[[],[1]]}','{"a":[[1],["x"]]}','{"a":[{"x":1},{"x":2}]}','{"a":[{"x":1},null]}','{"a":[{"x":{"y":[true]}}]}','{"a":[{"x":1},3]}','{"a":{"b":{"c":{}}}}','{"a":1,"a":"two"}','{"":1}','{"":null}','{"a-b":1,"c d":{"e-f":2}}','[1,2]','[]','[{"a":1}]',' {"a":1}','"text"','12','null','{"a":1} trailing','{"a":01}','{"a":}','{a:1}','{"a":"\t"}','plain','{"a":{"b":null}}','{"payload":{"payload":1}}','{"d":0.1,"e":1e-7,"f":12345678.9,"g":100.0}']
for j in JSON:
    ob(["json "+j],EXP)
    ob(["json "+j],dict(EXP,**{"table.json.payload.null.behavior":"optional_bytes"}))
for m in ["avro","avro_unicode"]:
    for j in ['{"a-b":1,"c d":{"e-f":2},"1x":3}','{"ok":1}']: ob(["json "+j],dict(EXP,**{"field.name.adjustment.mode":m}))
ob(["json {\"a\":[1]}"],dict(EXP,**{PLACE:"type:envelope","table.field.event.schema.version":"ver"}))
DEC=("io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent",{})
DECN=(DEC[0],{"fields.null.include":"true"})
EV='{"id":"e1","aggregateid":"10","aggregatetype":"Order","type":"T","payload":{"a":1,"n":null},"v":1.50,"none":null}'
for j in [EV,'{"id":7,"aggregateid":8,"aggregatetype":"Order","payload":"text"}','{"id":"e1","aggregatetype":"Order","payload":[1,2],"aggregateid":null}','{"aggregatetype":5,"id":1,"aggregateid":1,"payload":1}','plain','[]','[1]','{}','{"a":[1,"x"]}','{"a":[{"x":[1]}],"b":{"c":true}}','{"":1}']:
    for D_ in [DEC,DECN]:
        case(["message "+j],D_)
        case(["message "+j],D_,d("outbox.EventRouter",{}))
        case(["message "+j],D_,d("outbox.EventRouter",{PLACE:"type:header:eventType,v:envelope"}))
case(["c","heartbeat","outbox"],DEC)
# geometries and vectors
import struct
POINT,LINE,POLYGON,POINTS,LINES,POLYGONS,COLLECTION=range(1,8)
Z,M,SRID=0x80000000,0x40000000,0x20000000
def wkb(kind,body,srid=None,little=True,inner=None):
    """As hexadecimal. srid: of the field, and of the bytes unless inner says otherwise (0: none there)."""
    e="<" if little else ">"
    inner=(srid or 0) if inner is None else inner
    head=struct.pack(e+"BI",1 if little else 0,kind|(SRID if inner else 0))+(struct.pack(e+"I",inner) if inner else b"")
    return (head+body(e)).hex()+("" if srid is None else "@%d"%srid)
def xs(*coordinates): return lambda e: struct.pack(e+"%dd"%len(coordinates),*coordinates)
def row(n,*parts): return lambda e: struct.pack(e+"I",n)+b"".join(p(e) for p in parts)
def part(kind,body): return lambda e: struct.pack(e+"BI",1 if e=="<" else 0,kind)+body(e)
P1,P2,P3=xs(10,20),xs(30.5,-40),xs(1,2)
RING=row(4,P1,P2,P3,P1)
SHAPES=[(POINT,P1),(POINT,xs(float("nan"),float("nan"))),(LINE,row(2,P1,P2)),(LINE,row(0)),(POLYGON,row(2,RING,RING)),(POINTS,row(2,part(POINT,P1),part(POINT,P2))),
  (LINES,row(2,part(LINE,row(2,P1,P2)),part(LINE,row(1,P3)))),(POLYGONS,row(1,part(POLYGON,row(1,RING)))),
  (COLLECTION,row(3,part(POINT,P1),part(LINE,row(2,P1,P2)),part(COLLECTION,row(1,part(POLYGON,row(1,RING)))))),(COLLECTION,row(0)),(COLLECTION,row(1,part(POINT|Z,xs(1,2,3)))),
  (COLLECTION,row(1,part(POINT|SRID,lambda e: struct.pack(e+"I",4326)+P1(e)))),
  (POINT|Z,xs(1,2,3)),(POINT|M,xs(1,2,4)),(POINT|Z|M,xs(1,2,3,4)),(LINE|Z,row(2,xs(1,2,3),xs(4,5,6))),(POINTS|Z,row(1,part(POINT|Z,xs(1,2,3)))),(POLYGON|Z|M,row(1,row(1,xs(1,2,3,4)))),
  (8,row(1,P1)),(15,row(0)),(17,row(0)),(1001,xs(1,2,3)),(0,P1),(POINT,lambda e: P1(e)+b"\1\2"),(POINT,xs(1)),(LINE,row(3,P1)),(LINE,lambda e: struct.pack(e+"i",-1)),(POINT,lambda e: b"")]
GEO=["spatial c . "+wkb(k,b,4326,l) for k,b in SHAPES for l in (True,False)]
GEO+=["spatial c . "+wkb(POINT,P1,s,l,i) for s,i in [(None,0),(3857,0),(4269,4269),(3187,3187),(4326,0),(3187,4326),(4326,3187),(-1,-1 & 0xffffffff),(None,4326)] for l in (True,False)]
GEO+=["spatial c . "+h for h in ["01@4326","0101000020@4326","0101000020E610@4326","0101000020E6100000@4326","@4326","01","0101000000","0201000000000000000000f03f0000000000000040@4326"]]
A,B=wkb(POINT,P1,4326),wkb(LINE,row(2,P1,P2),4269,False)
ROWS=["spatial u %s %s"%(A,B),"spatial u %s %s"%(B,B),"spatial d %s ."%A,"spatial r . "+A,"spatial c . -","spatial c . ~","spatial u - "+A,"spatial u ~ -","spatial d - .","spatial t . ."]
GF,SW,VJ=d("GeometryFormatTransformer"),d("SwapGeometryCoordinates"),d("VectorToJsonConverter")
for f in [GF,d("GeometryFormatTransformer",{"format":"ewkb"}),SW]: case(GEO,f)
for s in [GF,d("GeometryFormatTransformer",{"format":"EWKB"}),SW,d("SwapGeometryCoordinates",{"srids":"3187, 4269"}),d("SwapGeometryCoordinates",{"srids":"4326"}),VJ]:
    both(ROWS+["c","sparse","tombstone","t","heartbeat"],s)
    case(ROWS,kk("ExtractField$Value",{"field":"after"}),s)
    for f in ["g","sv","n","dv"]: case(ROWS[:6],U,kk("ExtractField$Value",{"field":f}),s)
    case(["tombstone"],kk("HoistField$Value",{"field":"x"}),s)
    case([ROWS[0]],kk("Flatten$Value"),s)
case(ROWS+GEO[:8],GF,GF)
case(ROWS+GEO[:8],SW,GF)
case(ROWS+GEO[:8],GF,SW)
case(ROWS,VJ,VJ)
case(ROWS,VJ,SW,GF,U)
case(ROWS,U,VJ,kk("ExtractField$Value",{"field":"sv"}))
case(["c"],d("GeometryFormatTransformer",{"format":"wkt"}))
case(["c"],d("SwapGeometryCoordinates",{"srids":"4326,x"}))
case(["c"],d("SwapGeometryCoordinates",{"srids":"99999999999"}))
# sizes and source schemas
WIDE=["wide_c","wide_u","wide_d","c","u","d","sparse","utx","dk","tombstone","t","nokey","heartbeat"]
def size(recs,n,ratio="1.0",least="0"): case(recs,d("EnforceRecordSize",{"max.bytes":str(n),"compression.ratio":ratio,"min.field.size":least}))
for n in [1,2500,3000,3300,3600,100000]: size(WIDE,n)
for n in range(2600,4800,97): size(["wide_c","wide_u","wide_d"],n,least="45")
for r in ["0.5","0.333","1.7","1e-3"]:
    for n in [1,1500,2500,3500]: size(["wide_c","wide_u","wide_d","sparse"],n,r,"10")
for least in ["39","40","49","50","89","90","25000"]: size(["wide_c","wide_u"],3000,least=least)
for f in range(2100,2500,17): size(["sparse","utx","dk"],f)
case(WIDE,U,d("EnforceRecordSize",{"max.bytes":"100","min.field.size":"0"}))
case(["c","tombstone"],kk("ExtractField$Key",{"field":"id"}),d("EnforceRecordSize",{"max.bytes":"1000000"}))
case(["c","tombstone"],kk("ExtractField$Value",{"field":"op"}),d("EnforceRecordSize",{"max.bytes":"1"}))
for o in [{},{"max.bytes":"0"},{"max.bytes":"-1"},{"max.bytes":"9","compression.ratio":"0"},{"max.bytes":"9","min.field.size":"-1"}]: case(["sparse"],d("EnforceRecordSize",o))
TYPED=["typed_c","typed_u","typed_d","typed_t","tombstone","heartbeat"]
def typed(recs,*s):
    case(recs,*s)
    out[-1]["props"]["column.propagate.source.type"]=".*"
typed(TYPED+["c"],d("ExtractSchemaToNewRecord"))
typed(TYPED,U,d("ExtractSchemaToNewRecord"))
typed(TYPED,d("ExtractSchemaToNewRecord"),U)
typed(["typed_c","tombstone"],kk("ReplaceField$Value",{"exclude":"after"}),d("ExtractSchemaToNewRecord"))
typed(["typed_c","tombstone"],kk("ReplaceField$Value",{"exclude":"source"}),d("ExtractSchemaToNewRecord"))
typed(["typed_c"],d("ExtractSchemaToNewRecord"),d("ExtractSchemaToNewRecord"))
case(["c"],d("ExtractSchemaToNewRecord"))
EXCLUDED="schema.change.event.exclude.list"
for v in ["DROP,ALTER"," CREATE , TRUNCATE,DATABASE","drop","DROP,"]: case(ALL if v=="DROP,ALTER" else ["c"],d("SchemaChangeEventFilter",{EXCLUDED:v}))
case(["c"],d("SchemaChangeEventFilter"))
# compared columns, headers on paths
CHANGED=d("ExtractChangedRecordState",{"header.changed.name":"ch","header.unchanged.name":"un"})
case(["bits_u","u","sparse_u","c","d","t","tombstone"],CHANGED)
case(["u","sparse_u"],d("HeaderToValue",{"headers":"__debezium.context.taskId","fields":"after.task","operation":"copy"}),CHANGED)
case(["u"],d("HeaderToValue",{"headers":"__debezium.context.taskId","fields":"after.pt.task","operation":"copy"}),CHANGED)
H2=kk("InsertHeader",{"header":"two","value.literal":"2"})
TEXT=kk("InsertHeader",{"header":"two","value.literal":"some text"})
NULL=kk("InsertHeader",{"header":"two","value.literal":"null"})
TWICE=kk("InsertHeader",{"header":"two","value.literal":"70000"})
def to_value(fields,headers="__debezium.context.taskId,two",operation="copy"): return d("HeaderToValue",{"headers":headers,"fields":fields,"operation":operation})
for f in ["after.pt.task,two","extra.task,two","extra.task,extra.two","extra.deep.task,two","extra.deep.task,extra.deep.two","extra,extra.two","extra.task,extra.task","after.extra.task,two","after.extra.deep.task,two","source.task,op","task,task","op,two","ts_ms,two","after.nn,two","after.nn,after.id","after.arr.x,two","source.table.x,two","op.x,two","transaction.x,two","before.x,two","before.pt.x,two","r.x,two","after.pt.x,after.pt.srid","id.x,two"]:
    case(["c","sparse","u","d"],H2,to_value(f))
    case(["c"],TEXT,to_value(f,operation="move"))
for f in ["two,task","pt.task,two","pt.x,two","nn,id","n,id","n,big","b,v","big,id"]:
    for value in [H2,TEXT,NULL,TWICE]: case(["c","sparse"],U,value,to_value(f))
case(["c","t","tombstone"],H2,TWICE,to_value("a,b"))
case(["c"],H2,NULL,to_value("a,b"))
case(["c","tombstone"],NULL,to_value("a,b"))
case(["c","sparse"],U,kk("ExtractField$Value",{"field":"pt"}),to_value("task,two"))
for f in ["nn","n","arr","pt"]: case(["c","sparse"],U,kk("ExtractField$Value",{"field":f}),to_value("task,two",operation="move"))
case(["c","tombstone"],kk("HoistField$Value",{"field":"payload"}),to_value("task,payload.two"))
case(["c","tombstone"],kk("HoistField$Value",{"field":"x"}),to_value("task,x.y"))
case(["tombstone","c"],kk("HoistField$Key",{"field":"x"}),to_value("x.task,x.y"))
# expressions, as Groovy takes them
GROOVY={"language":"jsr223.groovy"}
SEEN=["c","sparse","u","d","tombstone","t","nokey","heartbeat"]
def keep(condition,recs=SEEN,**o): case(recs,d("Filter",dict(GROOVY,condition=condition,**{k.replace("_","."):v for k,v in o.items()})))
def send(expression,recs=SEEN,**o): case(recs,d("ContentBasedRouter",dict(GROOVY,**{"topic.expression":expression},**{k.replace("_","."):v for k,v in o.items()})))
for e in ["value.op == 'c'","value.op != 'd'","value.op == 'u' && value.before.nn == 'b'","value.op == 'd' || value.after.id == 1","!(value.op in ['d', 't'])","value.after != null","value.after?.nn == 'a'",
  "value.after?.n == null","value.after.n == null","value.after.n == 'dflt'","value.after?.v == 1.5","value.after?.v > 1","value.after?.v <= 1.50","value.after?.f == 2.5","value.after?.f > 2","value.after?.big > 4000000000",
  "value.after?.big == 1","value.after?.b","value.after?.b == true","value.after?.b != true","!value.after?.b","value.after.nn ==~ '[ab]'","value.after?.nn ==~ 'x'","value.after?.n =~ 'df'","value.op =~ '[cu]' && true",
  "value.after?.nn.startsWith('a')","value.after?.nn?.endsWith('a')","value.after?.nn?.contains('a') == true","value.after?.nn?.toUpperCase() == 'A'","value.after?.nn?.equals('a')","value.after.nn.matches('a|b')",
  "value['op'] == 'c'","value.get('op') == 'c'","value.source.table == 'cust'","value.source.lsn > 5","topic == 'srv.public.cust'","topic.startsWith('srv')","topic ==~ /srv.*/","key.id == 1","key?.id == 1","key == null",
  "header['__debezium.context.taskId'].value == '0'","header['nosuch'] == null","header['nosuch']?.value == null","header.nosuch?.value == 'x'","value.after?.id < 2","value.after?.id >= 1","null < 1","value.after?.id < null",
  "value.after?.nn < 'b'","value.after?.nn > 'a'","'a' == 1","value.after?.id == '1'","value.after?.id < 'x'","value.after?.b < true","value.after?.b > 1","true","false","null","'text'","1","value.op","value.after","value.after?.id + 1 == 2",
  "value.after?.id + 1 > 1.5","value.after?.nn + 'x' == 'ax'","value.transaction == null","value.transaction?.id == '771:9'","value.nosuch == 1","value?.nosuch == 1","value?.op == 'c'","value.op == 'c' ? true : false",
  "(value.op == 'c') == true","value.after?.id in [1, 2, 3]","value.after?.id in ['1']","value.after?.nn in ['a', null]","value.after?.n in [null]","value.after?.by == null","value.after?.arr == null","value.after?.pt == null",
  "value.after?.pt?.x == 1","value.after?.d == 18263","value.after?.ts > 1577934245678900L","value.after?.z > '2020'","value.after?.v","value.after?.f && value.after?.nn","value.after?.n ? true : false","value.op == null","!value.op",
  "value.op.equals('c')","value.op.contains('x')","value.op.toLowerCase() == 'c'","value.after?.id.equals(1)","value.before == null && value.after != null","value.before && value.after","value.before || value.after","value.op == \"c\"",
  "value.op == 'c' && (value.after.id == 1 || value.after.id == 2)","value.after?.id == 1.0","value.after?.id == 1L","value.after?.id == -1","value.after?.f == 2.50","value.op <= 'c'","value.op >= 'd'","topic > 's'","value.after?.v == '1.50'",
  "value.after?.b == 1","value.after?.b == 'true'","value.after?.ct == null","value.after?.id =~ '1'","value.after?.id ==~ '1'","value.after?.f ==~ '2.5'","null ==~ 'null'","value.after?.n ==~ 'null'","value.op == 'c';"]: keep(e)
for e in ["value.after?.zero == 0","value.after?.zero < 0","value.before?.zero == 0","value.before?.zero == 0.0","value.after?.nan == 1","value.after?.nan > 1","value.after?.nan && true","value.after?.zero && true","value.after?.arr && true",
  "value.after?.by && true","value.after?.bits && true","value.after?.id.startsWith('1')","value.after?.id?.matches('1')","value.after?.nobits?.matches('1')","value.after?.id?.toUpperCase() == '1'","value.after?.id < '2'","value.after?.id == '\\u0001'",
  "'2' > value.after?.id","value.after?.n ==~ /d\\w+/","value.after?.n ==~ 'd\\\\w+'","topic ==~ /srv\\..*\\.cust/","(value.after?.n ?: 'none') == 'none'","value.after?.id == 1d","value.after?.arr == null","value.after?.by == null"]: keep(e,["bits_u"])
for e in ["value.after?.big in [1]","value.after?.big in [1L]","value.after?.big in [5000000000]","value.after?.id in [1L]","value.after?.id in [1, 2L]","value.after?.v in [1.5]","value.after?.v in [1.50]","value.after?.big.equals(1)","value.after?.big?.equals(1L)",
  "value.after?.f in [2.5]","value.after?.f in [2.5d]","value.after?.id?.equals(1.0)","value.after?.id?.equals(1)","value.after?.n in ['dflt']","value.after?.b in [true]","value.after?.id + 2147483647 < 0","value.after?.id + 2147483648 > 0","value.op.equals(null)"]: keep(e,["c","sparse","d"])
for e in ["'x' + value.after?.nan","'x' + value.after?.zero","'x' + 1.5d","'x' + 1.0E","null + 'x'","null + 1","value.after?.id + 1 + 'x'","value.after?.id + 1.5 + 'x'"]: send(e,["bits_u"])
for e in ["value.after.nn == 'a'","value.op == 'c'"]:
    for n in ["drop","keep","evaluate"]: keep(e,null_handling_mode=n)
keep("value == null",null_handling_mode="evaluate")
keep("value?.op == 'c'",null_handling_mode="evaluate")
keep("value.op == 'd'",topic_regex="srv.*")
keep("value.op == 'd'",topic_regex="other.*")
for e in ["value.after?.nn","value.op == 'c' ? 'created' : 'other'","'srv.' + value.source.table","'x.' + value.after?.n","value.after?.n + '.x'","'x' + value.after?.id","value.after?.id + 'x'","value.after?.id + 1","'x' + value.after?.f","'x' + value.after?.big",
  "'x' + value.after?.v","'x' + value.after?.b","value.after?.b + 'x'","topic + '_x'","topic + 1","null","value.op == 'd' ? null : value.op","1","true","value.after","value.after?.nn?.toUpperCase()","key.id == 1 ? 'one' : null","'a' + 'b' + value.op",
  "value.op ?: 'none'","header['__debezium.context.taskId'].value + '-t'","value.after?.id == 1 ? 'one' : (value.op == 'd' ? 'gone' : topic)","'x' + 1.50","'x' + 2.0","'x' + 1L","1 + 2 + 'x'","'x' + (1 + 2)","'x' + value.after?.ts","'x' + value.after?.z","''",
  "value.source.schema + '.' + value.source.table + '.' + value.op"]: send(e)
send("value == null ? 'gone' : 'there'",null_handling_mode="evaluate")
send("'x'",topic_regex="__deb.*")
# literals, with their schemas
for lit in ["12","300","70000","5000000000","-5","+3","007","1.5","1.50","1.0","-0.0","0.1","123456789.125","12.","3.4e5","1E-3","1e30","9.5e18","true","abc","2024-02-29","1969-07-20","12:13:14.500Z","00:00:00.000Z","2020-01-02T03:04:05.678Z","1960-01-02T03:04:05.678Z","2020-01-02 03:04:05"," x "]:
    case(["c"],U,kk("InsertHeader",{"header":"two","value.literal":lit}),kk("ReplaceField$Value",{"include":"id"}),d("HeaderToValue",{"headers":"two","fields":"two","operation":"copy"}))
for lit in ["2020-01-02T00:00:00.000Z","1970-01-01","1970-01-02","23:59:59.999Z"]:
    for t in ["string","int64"]: case(["c"],U,kk("InsertHeader",{"header":"two","value.literal":lit}),kk("ReplaceField$Value",{"include":"id"}),d("HeaderToValue",{"headers":"two","fields":"two","operation":"copy"}),kk("Cast$Value",{"spec":"two:"+t}))
case(["bits_u","c"],CHANGED,kk("ReplaceField$Value",{"include":"op"}),d("HeaderToValue",{"headers":"ch,un","fields":"a,b","operation":"move"}))
case(["c"],d("ExtractNewRecordState",{"add.headers":"op,db,transaction.id,source.lsn,ts_ms,before.id"}),kk("ReplaceField$Value",{"include":"id"}),d("HeaderToValue",{"headers":"__op,__db,__transaction_id,__source_lsn,__ts_ms,__before_id","fields":"a,b,c,d,e,f","operation":"copy"}))
case(["tombstone"],d("ExtractNewRecordState",{"delete.tombstone.handling.mode":"rewrite-with-tombstone","add.headers":"op"}),kk("HoistField$Value",{"field":"x"}))
for r in ["2.5","-7.9","70000","1e3","4294967297","-1","text","+5","0.1"," 1"]:
    case(["c","sparse"],U,kk("MaskField$Value",{"fields":"id","replacement":r}))
    case(["c"],U,kk("MaskField$Value",{"fields":"f,big","replacement":r}))
    case(["c"],U,kk("Cast$Value",{"spec":"id:int16,big:int8,f:float32"}),kk("MaskField$Value",{"fields":"id,big,f","replacement":r}))
for e in ["value.after?.ct < 'a'","value.after?.ct < 5","value.after?.ct == 1577934245678","value.after?.ct != null","value.after?.ct && true","value.after?.ct in [1]","value.after?.pt == 1","value.after?.pt < 1"]: keep(e,["c","sparse","d"])
# envelopes without their operation, the order of routing, adding and dropping
for o in [{},{"add.fields":"table"},{"delete.tombstone.handling.mode":"rewrite"},{"delete.tombstone.handling.mode":"tombstone","add.headers":"table"}]:
    for first in [kk("ReplaceField$Value",{"exclude":"op"}),kk("Cast$Value",{"spec":"op:boolean"}),kk("ReplaceField$Value",{"renames":"op:o"}),kk("ReplaceField$Value",{"exclude":"source"})]:
        case(["c","u","d","tombstone","t"],first,d("ExtractNewRecordState",o))
for o in [{"route.by.field":"nn"},{"add.fields":"op:nn"},{"add.fields":"op:n2,after.n:b2"}]:
    for keep_all in ["true","false"]:
        case(["u","sparse_u","bits_u"],CHANGED,CHANGED,d("ExtractNewRecordState",dict(o,**{"drop.fields.header.name":"un","drop.fields.keep.schema.compatible":keep_all})))
        case(["u"],d("ExtractChangedRecordState",{"header.changed.name":"un"}),CHANGED,d("ExtractNewRecordState",dict(o,**{"drop.fields.header.name":"un","drop.fields.keep.schema.compatible":keep_all})))
# maps, nulls, structs inside
for stage in [kk("HeaderFrom$Value",{"fields":"x,nn","headers":"h,i","operation":"move"}),kk("HeaderFrom$Value",{"fields":"nn","headers":"h","operation":"copy"}),kk("ValueToKey",{"fields":"nn,x"}),kk("TimestampConverter$Value",{"field":"nn","target.type":"unix"}),
  kk("TimestampConverter$Value",{"target.type":"unix"}),d("Filter",dict(GROOVY,condition="value.nn == null")),d("ContentBasedRouter",dict(GROOVY,**{"topic.expression":"value.nn ?: 'none'"})),kk("Flatten$Value",{}),kk("InsertField$Value",{"topic.field":"t"}),kk("ReplaceField$Value",{"renames":"x:y"})]:
    case(["tombstone"],kk("HoistField$Value",{"field":"x"}),stage)
for f in ["v","nn","pt","ct","arr"]:
    for stage in [kk("TimestampConverter$Value",{"field":"x","target.type":"string","format":"yyyy"}),kk("TimestampConverter$Value",{"field":"d","target.type":"unix","replace.null.with.default":"false"}),kk("ReplaceField$Value",{"exclude":"x"}),kk("InsertField$Value",{"static.field":"s","static.value":"v"}),
      kk("Flatten$Value",{}),kk("Cast$Value",{"spec":"x:string"}),kk("MaskField$Value",{"fields":"x"}),kk("ValueToKey",{"fields":"x"}),kk("HeaderFrom$Value",{"fields":"y","headers":"h","operation":"move"}),kk("ExtractField$Value",{"field":"x"}),kk("SetSchemaMetadata$Value",{"schema.name":"p"}),kk("HoistField$Value",{"field":"k"})]:
        case(["c","sparse","dk"],kk("ExtractField$Value",{"field":"after."+f,"field.syntax.version":"V2"}),stage)
for r in ["n","nn"]:
    case(["dk","d"],d("ExtractNewRecordState",{"delete.tombstone.handling.mode":"rewrite","route.by.field":r}))
for f in ["after","before"]: case(["c","u","sparse_u","bits_u","d"],kk("HeaderFrom$Value",{"fields":f,"headers":"row","operation":"move"}))
case(["c"],U,kk("TimestampConverter$Value",{"field":"ts","target.type":"Date","unix.precision":"seconds"}))
case(["tombstone"],kk("HoistField$Value",{"field":"x"}),kk("InsertField$Value",{"partition.field":"p"}))
for f in ["change.id","change.id,source.table"]: case(["u","d"],kk("ReplaceField$Value",{"exclude":"op"}),("io.debezium.transforms.partitions.PartitionRouting",{"partition.payload.fields":f,"partition.topic.num":"1000"}))
LOGICAL=d("ByLogicalTableRouter",{"topic.regex":"(.*)cust","topic.replacement":"$1all"})
for f in ["after.t","before.t","before.id","source.t","extra.t"]: case(["c","u","d","t","sparse_u","tombstone"],d("HeaderToValue",{"headers":"__debezium.context.taskId","fields":f,"operation":"copy"}),LOGICAL)
for f in ["before.id","after.n"]: case(["c","u","d"],d("HeaderToValue",{"headers":"__debezium.context.taskId","fields":f,"operation":"copy"}))
# tombstones, which have their headers in common with the delete before them
BEHIND=["dtx","behind d","behind dtx"]
ADDED={"add.headers":"op,source.table,transaction.id,total_order,ts_ms"}
def unwrap(mode): return d("ExtractNewRecordState",dict(ADDED,**{"delete.tombstone.handling.mode":mode}))
for m in ["drop","tombstone","rewrite","rewrite-with-tombstone","delete-to-tombstone"]: case(BEHIND,unwrap(m))
KEEPS=unwrap("rewrite-with-tombstone")
CHANGES=d("ExtractChangedRecordState",{"header.changed.name":"ch","header.unchanged.name":"un"})
for first in [CHANGES,kk("RegexRouter",{"regex":"srv.*","replacement":"all"}),kk("RegexRouter",{"regex":"other.*","replacement":"all"}),kk("InsertHeader",{"header":"h","value.literal":"x"}),kk("ReplaceField$Value",{"exclude":"ts_us"}),LOGICAL]:
    case(BEHIND,first,KEEPS)
    case(BEHIND,KEEPS,first)
for s in [[CHANGES],[CHANGES,kk("InsertHeader",{"header":"h","value.literal":"x"}),CHANGES],[KEEPS,KEEPS],
  [d("ExtractNewRecordState",{"delete.tombstone.handling.mode":"rewrite-with-tombstone","add.headers":"table","route.by.field":"nn"})],[d("ExtractNewRecordState",{"delete.tombstone.handling.mode":"rewrite-with-tombstone","add.headers":"op","add.headers.prefix":"","add.fields":"op"})]]: case(BEHIND,*s)
for negate in ["false","true"]:
    case(BEHIND,(KEEPS[0],dict(KEEPS[1],predicate="p",negate=negate)),p=("RecordIsTombstone",{}))
# transforms that hand the headers themselves on, and transforms that copy them though they change nothing
PARTITIONS=("io.debezium.transforms.partitions.PartitionRouting",{"partition.payload.fields":"op,source.table","partition.topic.num":"7"})
def to_value(operation,header="__debezium.context.taskId"): return d("HeaderToValue",{"headers":header,"fields":"task","operation":operation})
HANDED=[PARTITIONS,d("TimezoneConverter",{"converted.timezone":"+05:30"}),to_value("copy"),to_value("move"),to_value("move","nosuch"),d("VectorToJsonConverter"),d("SwapGeometryCoordinates"),d("GeometryFormatTransformer",{"format":"ewkb"})]
COPIED=[kk("ReplaceField$Value",{"exclude":"nosuch"}),kk("ReplaceField$Key",{"exclude":"nosuch"}),kk("Cast$Value",{"spec":"nosuch:string"}),kk("RegexRouter",{"regex":"(.*)","replacement":"$1"}),kk("DropHeaders",{"headers":"nosuch"}),
  kk("TimestampConverter$Value",{"field":"nosuch","target.type":"unix"}),kk("InsertField$Key",{"static.field":"s","static.value":"v"}),kk("HoistField$Key",{"field":"k"}),kk("ExtractField$Key",{"field":"id"}),kk("Flatten$Key",{}),kk("SetSchemaMetadata$Value",{"schema.name":"srv.public.cust.Envelope"}),kk("HeaderFrom$Key",{"fields":"id","headers":"h","operation":"copy"})]
for first in HANDED+COPIED:
    case(BEHIND,first,KEEPS)
    case(BEHIND,CHANGES,first,CHANGES)
for s in [[PARTITIONS,to_value("copy"),KEEPS],[PARTITIONS,COPIED[0],KEEPS],[(PARTITIONS[0],dict(PARTITIONS[1],predicate="p")),(COPIED[0][0],dict(COPIED[0][1],predicate="p",negate="true")),KEEPS]]: case(BEHIND,*s,p=("HasHeaderKey",{"name":"__debezium.context.taskId"}))
for n,o in [("MaskField$Value",{"fields":"nosuch"}),("ValueToKey",{"fields":"op"})]: case(BEHIND,(K+n,dict(o,predicate="p",negate="true")),KEEPS,p=("RecordIsTombstone",{}))
for first in [d("ExtractSchemaToNewRecord"),COPIED[0]]: typed(["typed_d","behind typed_d"],first,KEEPS)
# fields that get the value of one that was renamed to their name, and left out
for o in [{"exclude":"n","renames":"n:nn"},{"exclude":"n","renames":"n:nn","replace.null.with.default":"false"},{"include":"id,nn","renames":"n:nn"},{"exclude":"nn","renames":"nn:n"},{"exclude":"id","renames":"id:n"},{"exclude":"v","renames":"v:by"},{"exclude":"ts","renames":"ts:big"},{"exclude":"d","renames":"d:id"},
  {"exclude":"arr","renames":"arr:pt"},{"exclude":"ct","renames":"ct:big"},{"exclude":"f","renames":"f:b"},{"exclude":"n","renames":"n:z"},{"exclude":"n,z","renames":"n:q,nn:q"},{"exclude":"nn,z","renames":"n:q,nn:q"},{"exclude":"nn,z","renames":"nn:q,n:q"},{"exclude":"n","renames":"n:nn,nn:n"},{"exclude":"z,nn,ts","renames":"z:n,nn:z,ts:big"}]:
    case(["c","sparse"],U,kk("ReplaceField$Value",o))
for o in [{"exclude":"before","renames":"before:after"},{"include":"after,source,op","renames":"before:after"},{"exclude":"op","renames":"op:ts_ms"},{"exclude":"ts_ms","renames":"ts_ms:ts_us"}]: case(["c","u","d","tombstone"],kk("ReplaceField$Value",o))
# what is null though its field is required: HeaderToValue leaves the structs that it leads into so
def lead(field): return to_value("copy")[0],{"headers":"__debezium.context.taskId","fields":field,"operation":"copy"}
def away(fields,operation="move",**o): return kk("HeaderFrom$Value",dict({"fields":fields,"headers":",".join("h%d"%i for i in range(fields.count(",")+1)),"operation":operation},**o))
for f in ["after","before"]:
    case(["c","u","d","t","tombstone"],lead(f+".t"),away(f))
for o in [{"operation":"copy"},{"replace.null.with.default":"false"}]: case(["u","d"],lead("after.t"),away("after",**o))
case(["u","d"],lead("after.t"),away("op,after"))
case(["c","d"],away("before,after","copy"),d("HeaderToValue",{"headers":"h0,h1","fields":"before.b,after.a","operation":"copy"}),away("before,after"))
GONE=kk("ReplaceField$Value",{"include":"source"})
case(["u","d"],lead("after.t"),GONE)
for between in HANDED+COPIED+[CHANGES,LOGICAL,lead("source.t"),lead("before.t"),away("op"),away("op","copy"),kk("ReplaceField$Value",{"renames":"after:other"}),kk("ReplaceField$Value",{"exclude":"op"}),kk("InsertField$Value",{"static.field":"s","static.value":"v"}),
  kk("Cast$Value",{"spec":"ts_ms:string"}),kk("MaskField$Value",{"fields":"op"}),kk("TimestampConverter$Value",{"field":"ts_ms","target.type":"string","format":"yyyy"}),kk("SetSchemaMetadata$Value",{"schema.name":"q"}),kk("ValueToKey",{"fields":"op"}),kk("ValueToKey",{"fields":"op,after"})]:
    case(["d"],lead("after.t"),between,GONE)
    case(["d"],lead("after.t"),between,away("after"))
case(["d"],lead("after.t"),kk("HoistField$Value",{"field":"k"}),kk("ReplaceField$Value",{"exclude":"k"}))
for between in [[],[LOGICAL],[d("VectorToJsonConverter")]]: case(["c","sparse"],lead("after.pt.t"),*between,U,kk("ReplaceField$Value",{"exclude":"pt"}))
for after in [away("pt"),away("n"),kk("ReplaceField$Value",{"exclude":"pt"}),kk("ExtractField$Value",{"field":"pt"}),lead("pt.u"),kk("ValueToKey",{"fields":"pt"})]: case(["c","sparse"],U,lead("pt.t"),after)
FLAT=kk("Flatten$Value",{"delimiter":"_"})
for after in [[],[away("pt_x")],[away("pt_srid,pt_t","copy")],[FLAT]]: case(["c","sparse"],U,lead("pt.t"),FLAT,*after,kk("ReplaceField$Value",{"exclude":"pt_x,pt_y,pt_t"}))
for o in [{},{"replace.null.with.default":"false"}]: case(["c","d"],lead("after.t"),FLAT,away("after_big,after_n","copy",**o),kk("ReplaceField$Value",{"include":"op"}))
for c in out: print(json.dumps(c))
