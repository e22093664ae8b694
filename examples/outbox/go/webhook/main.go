// Webhook applies each event of an outbox to a database exactly once; the events come as signed webhooks
// (standardwebhooks.com). A request is sent again until it is answered with 2xx, with the same webhook-id. The effect and
// that id are written in one transaction; the second time the inbox says no. The effect here: orders counted and summed per
// customer.
//
//	DATABASE_URL=postgres://billing@localhost/billing WEBHOOK_SECRET=whsec_… PORT=8090 go run ./webhook
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	insertInbox = `INSERT INTO inbox (consumer, message_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	effect      = `INSERT INTO customer_totals (customer, orders, total) VALUES ($1, 1, $2::text::numeric)
		ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1,
			total = customer_totals.total + excluded.total`
	forget = `DELETE FROM inbox WHERE consumer = $1 AND handled_at < now() - $2::text::interval`

	oldest  = 5 * time.Minute
	longest = 1 << 20 // bytes of a body
)

var errNotUnderstood = errors.New("not understood")

type orderPlaced struct {
	Customer string      `json:"customer"`
	Total    json.Number `json:"total"`
}

type receiver struct {
	database *pgxpool.Pool
	consumer string
	secret   []byte
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// Over the bytes that came, compared in constant time; what is old may be somebody's recording.
func (r *receiver) signed(header http.Header, body []byte) bool {
	at, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > oldest {
		return false
	}
	mac := hmac.New(sha256.New, r.secret)
	fmt.Fprintf(mac, "%s.%s.", header.Get("webhook-id"), header.Get("webhook-timestamp"))
	mac.Write(body)
	wanted := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	found := false
	for _, one := range strings.Fields(header.Get("webhook-signature")) {
		found = hmac.Equal([]byte(one), wanted) || found
	}
	return found
}

func (r *receiver) handle(ctx context.Context, id, kind string, body []byte) error {
	said := "seen before"
	err := pgx.BeginFunc(ctx, r.database, func(tx pgx.Tx) error {
		inserted, err := tx.Exec(ctx, insertInbox, r.consumer, id)
		if err != nil || inserted.RowsAffected() == 0 {
			return err
		}
		said = "applied"
		if kind != "OrderPlaced" {
			return nil
		}
		var order orderPlaced
		if json.Unmarshal(body, &order) != nil || order.Customer == "" || order.Total == "" {
			return errNotUnderstood
		}
		_, err = tx.Exec(ctx, effect, order.Customer, order.Total.String())
		return err
	})
	if err == nil {
		fmt.Println(said, id)
	}
	return err
}

func (r *receiver) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(out, in.Body, longest))
	if err != nil {
		out.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !r.signed(in.Header, body) {
		out.WriteHeader(http.StatusUnauthorized)
		return
	}
	// What has begun is finished, whoever hangs up. 204 after the commit, and only then.
	err = r.handle(context.WithoutCancel(in.Context()), in.Header.Get("webhook-id"), path.Base(in.URL.Path), body)
	switch {
	case err == nil:
		out.WriteHeader(http.StatusNoContent)
	case errors.Is(err, errNotUnderstood):
		out.WriteHeader(http.StatusBadRequest) // as often as it comes
	default:
		log.Print(err)
		out.WriteHeader(http.StatusInternalServerError) // it comes again
	}
}

// What a sender no longer repeats need not be remembered.
func (r *receiver) forgetOld(ctx context.Context) {
	for {
		if _, err := r.database.Exec(ctx, forget, r.consumer, setting("INBOX_RETENTION", "30 days")); err != nil && ctx.Err() == nil {
			log.Print(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Hour):
		}
	}
}

func serve(ctx context.Context) error {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(secret) == 0 {
		return errors.New("WEBHOOK_SECRET: whsec_ and base64 of the secret that the sender has")
	}
	database, err := pgxpool.New(ctx, setting("DATABASE_URL", "postgres://localhost/billing"))
	if err != nil {
		return err
	}
	defer database.Close()
	handler := &receiver{database, setting("GROUP", "billing"), secret}
	go handler.forgetOld(ctx)
	server := &http.Server{Addr: ":" + setting("PORT", "8090"), Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		server.Shutdown(context.Background())
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx); err != nil {
		log.Fatal(err)
	}
}
