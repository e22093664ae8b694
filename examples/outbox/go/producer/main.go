// Producer places an order: the order's row and its event in one transaction, so that both are there or neither.
//
//	DATABASE_URL=postgres://shop@localhost/shop go run ./producer c7 99.90
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5"
)

const (
	insertOrder = `INSERT INTO orders (customer, total) VALUES ($1, $2::text::numeric) RETURNING id`
	insertEvent = `INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
		VALUES ('Order', $1, 'OrderPlaced', $2)`
)

type orderPlaced struct {
	OrderID  int64  `json:"orderId"`
	Customer string `json:"customer"`
	Total    string `json:"total"` // text: JSON has no decimals
}

func placeOrder(ctx context.Context, database *pgx.Conn, customer, total string) (int64, error) {
	var order int64
	err := pgx.BeginFunc(ctx, database, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, insertOrder, customer, total).Scan(&order); err != nil {
			return fmt.Errorf("order: %w", err)
		}
		payload, err := json.Marshal(orderPlaced{order, customer, total})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, insertEvent, strconv.FormatInt(order, 10), payload)
		return err
	})
	return order, err
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: producer CUSTOMER TOTAL")
	}
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		url = "postgres://localhost/shop"
	}
	ctx := context.Background()
	database, err := pgx.Connect(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	defer database.Close(ctx)
	order, err := placeOrder(ctx, database, os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("placed", order)
}
