// Worker publishes an outbox table until it is empty, as it is written by hand: one process, no features. It is what walduct is
// measured beside (speed.py), and no example: the ranges of mark and delete lose a row that is committed late into one.
//
//	DATABASE_URL=postgres://… worker documents|batch|mark|delete|position [HOST:PORT TOPIC]
//
// Without a broker: the same statements alone. It says "ready" when it is connected.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kgo"
)

const columns = "SELECT id, aggregate_type, aggregate_id, event_type, payload FROM outbox "

type worker struct {
	database *pgx.Conn
	broker   *kgo.Client // nil: the database alone
	topic    string
	failed   atomic.Value // the first error of a record
}

type event struct {
	id                    int64
	aggregate, key, event string
	payload               []byte
}

func read(rows pgx.Rows) (event, error) {
	var e event
	err := rows.Scan(&e.id, &e.aggregate, &e.key, &e.event, &e.payload)
	return e, err
}

func (w *worker) record(e event) *kgo.Record {
	return &kgo.Record{Topic: w.topic, Key: []byte(e.key), Value: e.payload, Headers: []kgo.RecordHeader{
		{Key: "id", Value: strconv.AppendInt(nil, e.id, 10)}, {Key: "eventType", Value: []byte(e.event)}}}
}

// Hands the rows over as they come, and waits until all are acknowledged; their ids.
func (w *worker) publish(ctx context.Context, rows pgx.Rows, err error) ([]int64, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		e, err := read(rows)
		if err != nil {
			return nil, err
		}
		ids = append(ids, e.id)
		if w.broker != nil {
			w.broker.Produce(ctx, w.record(e), func(_ *kgo.Record, err error) {
				if err != nil {
					w.failed.CompareAndSwap(nil, err)
				}
			})
		}
	}
	if err := rows.Err(); err != nil || w.broker == nil {
		return ids, err
	}
	if err := w.broker.Flush(ctx); err != nil {
		return nil, err
	}
	if err, some := w.failed.Load().(error); some {
		return nil, err
	}
	return ids, nil
}

const claim = columns + "WHERE published_at IS NULL ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED"

// As documents show it: one publish and one UPDATE a row, in one transaction.
func (w *worker) documents(ctx context.Context) (int, error) {
	tx, err := w.database.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(ctx)
	rows, err := tx.Query(ctx, claim)
	if err != nil {
		return 0, err
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (event, error) { return read(rows) })
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		if w.broker != nil {
			if err := w.broker.ProduceSync(ctx, w.record(e)).FirstErr(); err != nil {
				return 0, err
			}
		}
		if _, err := tx.Exec(ctx, "UPDATE outbox SET published_at = now() WHERE id = $1", e.id); err != nil {
			return 0, err
		}
	}
	return len(events), tx.Commit(ctx)
}

func (w *worker) batch(ctx context.Context) (int, error) {
	tx, err := w.database.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(ctx)
	rows, err := tx.Query(ctx, claim)
	ids, err := w.publish(ctx, rows, err)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, "UPDATE outbox SET published_at = now() WHERE id = ANY ($1)", ids); err != nil {
		return 0, err
	}
	return len(ids), tx.Commit(ctx)
}

// One owner: no row is locked. Whether a row is open, and what is done with a range of rows.
func (w *worker) ranges(ctx context.Context, open, done string) error {
	last := int64(0)
	for {
		rows, err := w.database.Query(ctx, columns+"WHERE "+open+" AND id > $1 ORDER BY id LIMIT 5000", last)
		ids, err := w.publish(ctx, rows, err)
		if err != nil || len(ids) == 0 {
			return err
		}
		last = ids[len(ids)-1]
		tag, err := w.database.Exec(ctx, done+" WHERE "+open+" AND id BETWEEN $1 AND $2", ids[0], last)
		if err != nil {
			return err
		}
		if tag.RowsAffected() != int64(len(ids)) {
			return fmt.Errorf("%d rows were published, %d done", len(ids), tag.RowsAffected())
		}
	}
}

const (
	isNew  = "NOT pg_visible_in_snapshot(xact, $1::pg_snapshot) AND pg_visible_in_snapshot(xact, $2::pg_snapshot)"
	bounds = "SELECT count(*), coalesce(min(id), 0), coalesce(max(id), 0) FROM outbox " +
		"WHERE xact >= pg_snapshot_xmin($1::pg_snapshot) AND xact < pg_snapshot_xmax($2::pg_snapshot) AND " + isNew
	window = columns + "WHERE " + isNew + " AND id > $3 AND id <= $4 ORDER BY id LIMIT 5000"
)

// What became visible since the last snapshot, by id. The position is a file.
func (w *worker) position(ctx context.Context) error {
	file, old := os.Getenv("POSITION"), "1:1:"
	for {
		var now string
		var count, first, last int64
		if err := w.database.QueryRow(ctx, "SELECT pg_current_snapshot()::text").Scan(&now); err != nil {
			return err
		}
		if err := w.database.QueryRow(ctx, bounds, old, now).Scan(&count, &first, &last); err != nil || count == 0 {
			return err
		}
		for behind := first - 1; behind < last; {
			rows, err := w.database.Query(ctx, window, old, now, behind, last)
			ids, err := w.publish(ctx, rows, err)
			if err != nil {
				return err
			}
			behind = ids[len(ids)-1]
			if err := os.WriteFile(file+".new", fmt.Appendf(nil, "%s %s %d\n", old, now, behind), 0o600); err != nil {
				return err
			}
			if err := os.Rename(file+".new", file); err != nil {
				return err
			}
		}
		old = now
	}
}

func untilNone(ctx context.Context, batch func(context.Context) (int, error)) error {
	for {
		if count, err := batch(ctx); err != nil || count == 0 {
			return err
		}
	}
}

func (w *worker) run(ctx context.Context, how string) error {
	switch how {
	case "documents":
		return untilNone(ctx, w.documents)
	case "batch":
		return untilNone(ctx, w.batch)
	case "mark":
		return w.ranges(ctx, "published_at IS NULL", "UPDATE outbox SET published_at = now()")
	case "delete":
		return w.ranges(ctx, "true", "DELETE FROM outbox")
	case "position":
		return w.position(ctx)
	}
	return fmt.Errorf("unknown: %s", how)
}

func main() {
	if len(os.Args) != 2 && len(os.Args) != 4 {
		log.Fatal("usage: worker documents|batch|mark|delete|position [HOST:PORT TOPIC]")
	}
	ctx := context.Background()
	database, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	w := &worker{database: database}
	if len(os.Args) == 4 {
		// As walduct's own: no compression, and a batch is sent when there is something.
		w.topic = os.Args[3]
		w.broker, err = kgo.NewClient(kgo.SeedBrokers(os.Args[2]), kgo.ProducerLinger(0),
			kgo.ProducerBatchCompression(kgo.NoCompression()))
		if err == nil {
			err = w.broker.Ping(ctx)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("ready")
	if err := w.run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
