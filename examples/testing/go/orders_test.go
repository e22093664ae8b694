// An application's own tests: its code writes, the events are looked at.
package orders

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/orders/walducttest"
)

const orders = `CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text NOT NULL,
	total numeric NOT NULL CHECK (total > 0))`

// The code under test.
func placeOrder(ctx context.Context, database *pgx.Conn, customer, total string) error {
	return pgx.BeginFunc(ctx, database, func(tx pgx.Tx) error {
		payload := map[string]string{"customer": customer, "total": total}
		if _, err := tx.Exec(ctx, `INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
			VALUES ('Order', $1, 'OrderPlaced', $2)`, customer, payload); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO orders (customer, total) VALUES ($1, $2::text::numeric)`, customer, total)
		return err
	})
}

func TestMain(m *testing.M) { walducttest.Main(m) }

func shop(t *testing.T) (*walducttest.Outbox, *pgx.Conn) {
	outbox := walducttest.New(t)
	database := outbox.Connect(t)
	if _, err := database.Exec(t.Context(), orders); err != nil {
		t.Fatal(err)
	}
	return outbox, database
}

func TestAnOrderIsTold(t *testing.T) {
	outbox, database := shop(t)
	if err := placeOrder(t.Context(), database, "c7", "99.90"); err != nil {
		t.Fatal(err)
	}
	events := outbox.Events(t)
	if len(events) != 1 {
		t.Fatalf("%d events", len(events))
	}
	event := events[0]
	if event.Topic != "outbox.event.Order" || event.Key != "c7" || event.Type() != "OrderPlaced" || event.ID() == "" {
		t.Errorf("%+v", event)
	}
	var payload map[string]string
	if err := json.Unmarshal([]byte(event.Value), &payload); err != nil || payload["total"] != "99.90" {
		t.Errorf("%v %+v", err, payload)
	}
}

func TestAnOrderThatFailsIsNot(t *testing.T) {
	outbox, database := shop(t)
	if placeOrder(t.Context(), database, "c7", "-1") == nil {
		t.Fatal("it did not fail")
	}
	if events := outbox.Events(t); len(events) != 0 {
		t.Errorf("%+v", events)
	}
}

func TestEventsComeOnceAndInOrder(t *testing.T) {
	outbox, database := shop(t)
	for _, customer := range []string{"c1", "c2", "c3"} {
		if err := placeOrder(t.Context(), database, customer, "1"); err != nil {
			t.Fatal(err)
		}
	}
	if got := keys(outbox.Events(t)); !reflect.DeepEqual(got, []string{"c1", "c2", "c3"}) {
		t.Error(got)
	}
	if err := placeOrder(t.Context(), database, "c8", "4"); err != nil {
		t.Fatal(err)
	}
	if _, err := database.Exec(t.Context(), "DELETE FROM outbox"); err != nil {
		t.Fatal(err)
	}
	if got := keys(outbox.Events(t)); !reflect.DeepEqual(got, []string{"c8"}) {
		t.Error(got)
	}
}

func keys(events []walducttest.Event) []string {
	var all []string
	for _, event := range events {
		all = append(all, event.Key)
	}
	return all
}
