// Consumer applies each event of an outbox to a database exactly once. Kafka delivers at least once; the effect and the
// event's id are written in one transaction, and only then is the offset committed. A crash anywhere repeats records and
// applies nothing twice. The effect here: orders counted and summed per customer.
//
//	DATABASE_URL=postgres://billing@localhost/billing BOOTSTRAP_SERVERS=localhost:9092 go run ./consumer
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	insertInbox = `INSERT INTO inbox (consumer, message_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	effect      = `INSERT INTO customer_totals (customer, orders, total) VALUES ($1, 1, $2::text::numeric)
		ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1,
			total = customer_totals.total + excluded.total`
	forget = `DELETE FROM inbox WHERE consumer = $1 AND handled_at < now() - $2::text::interval`
)

type orderPlaced struct {
	Customer string `json:"customer"`
	Total    string `json:"total"`
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func header(record *kgo.Record, name string) string {
	for _, one := range record.Headers {
		if one.Key == name {
			return string(one.Value)
		}
	}
	return ""
}

func handle(ctx context.Context, database *pgx.Conn, consumer string, record *kgo.Record) error {
	id := header(record, "id")
	if record.Value == nil || id == "" {
		return nil
	}
	said := "seen before"
	err := pgx.BeginFunc(ctx, database, func(tx pgx.Tx) error {
		inserted, err := tx.Exec(ctx, insertInbox, consumer, id)
		if err != nil || inserted.RowsAffected() == 0 {
			return err
		}
		said = "applied"
		if header(record, "eventType") != "OrderPlaced" {
			return nil
		}
		var order orderPlaced
		if err := json.Unmarshal(record.Value, &order); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, effect, order.Customer, order.Total)
		return err
	})
	if err == nil {
		fmt.Println(said, id)
	}
	return err
}

func consume(ctx context.Context) error {
	group := setting("GROUP", "billing")
	database, err := pgx.Connect(ctx, setting("DATABASE_URL", "postgres://localhost/billing"))
	if err != nil {
		return err
	}
	defer database.Close(context.Background())
	kafka, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(setting("BOOTSTRAP_SERVERS", "localhost:9092"), ",")...),
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(setting("TOPIC", "outbox.event.Order")),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.DisableAutoCommit(),    // an offset is committed after the transaction, never before
		kgo.BlockRebalanceOnPoll(), // a partition goes to another consumer between two polls only
	)
	if err != nil {
		return err
	}
	defer kafka.CloseAllowingRebalance()
	var forgets time.Time
	for {
		// Once an hour, what no longer comes again: keep it longer than the topic keeps records.
		if time.Now().After(forgets) {
			if _, err := database.Exec(ctx, forget, group, setting("INBOX_RETENTION", "30 days")); err != nil {
				return err
			}
			forgets = time.Now().Add(time.Hour)
		}
		fetches := kafka.PollFetches(ctx)
		if ctx.Err() != nil {
			return nil
		}
		fetches.EachError(func(topic string, partition int32, err error) {
			log.Printf("%s %d: %v", topic, partition, err) // until the first event there is no topic
		})
		for _, record := range fetches.Records() {
			// What has begun is finished: a signal is looked at between two polls.
			if err := handle(context.WithoutCancel(ctx), database, group, record); err != nil {
				return err
			}
		}
		if err := kafka.CommitUncommittedOffsets(context.WithoutCancel(ctx)); err != nil {
			log.Printf("offsets not committed: %v", err) // they come again
		}
		kafka.AllowRebalance()
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := consume(ctx); err != nil {
		log.Fatal(err)
	}
}
