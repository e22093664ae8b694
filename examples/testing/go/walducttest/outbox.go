// Package walducttest lets tests see what the code under test writes into its outbox, as the events that walduct publishes.
//
//	func TestMain(m *testing.M) { walducttest.Main(m) }
//
//	func TestAnOrderIsTold(t *testing.T) {
//		outbox := walducttest.New(t)
//		placeOrder(ctx, outbox.Connect(t), "c7", "99.90")
//		events := outbox.Events(t)
//	}
//
// Each Outbox is a new database with an outbox table. Events runs walduct until it has read all that is committed, and
// returns what came since the last call: no Kafka, nothing to wait or to poll for. walduct is the program that WALDUCT
// names, else the one on the path.
package walducttest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	timeout = time.Minute
	worker  = `config.providers=env
config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider
offset.storage.file.filename=%s/offsets.dat
`
)

var shared *server

// Main starts PostgreSQL, runs the tests of a package and stops it.
func Main(m *testing.M) {
	started, err := startServer()
	if err != nil {
		log.Fatal(err)
	}
	shared = started
	code := m.Run()
	if err := started.stop(); err != nil {
		log.Print(err)
	}
	os.Exit(code)
}

// Event is an event as it would be in its topic.
type Event struct {
	Topic   string
	Key     string
	Value   string
	Headers map[string]string
}

func (e Event) ID() string   { return e.Headers["id"] }
func (e Event) Type() string { return e.Headers["eventType"] }

// UnmarshalJSON reads a line that the sink stdout writes.
func (e *Event) UnmarshalJSON(line []byte) error {
	var record struct {
		Topic, Key, Value string
		Headers           [][]*string
	}
	if err := json.Unmarshal(line, &record); err != nil {
		return err
	}
	*e = Event{record.Topic, record.Key, record.Value, map[string]string{}}
	for _, header := range record.Headers {
		if len(header) == 2 && header[0] != nil && header[1] != nil {
			e.Headers[*header[0]] = *header[1]
		}
	}
	return nil
}

// Outbox is a database with an outbox table; URL is for the code under test.
type Outbox struct {
	URL                       string
	name, password, directory string
}

func New(t testing.TB) *Outbox {
	t.Helper()
	if shared == nil {
		t.Fatal("call walducttest.Main from TestMain")
	}
	outbox := &Outbox{name: "test_" + random(6), password: random(16), directory: t.TempDir()}
	address := *shared.url
	address.Path = "/" + outbox.name
	outbox.URL = address.String()
	admin(t, "CREATE DATABASE "+outbox.name)
	t.Cleanup(func() { admin(t, "DROP DATABASE "+outbox.name+" WITH (FORCE)", "DROP ROLE "+outbox.name) })
	names := []string{"outbox", "init", "--role", outbox.name, "--slot", outbox.name}
	execute(t, outbox.URL, outbox.walduct(t, names...), fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", outbox.name, outbox.password))
	where := url.URL{Scheme: "postgres", Host: address.Host, Path: address.Path}
	outbox.write(t, "outbox.json", outbox.walduct(t, append(names, "--print", "connector", "--url", where.String())...))
	outbox.write(t, "worker.properties", fmt.Sprintf(worker, outbox.directory))
	outbox.Events(t) // makes the slot: what is committed from now on is told, whatever becomes of the rows
	t.Cleanup(func() { admin(t, "SELECT pg_drop_replication_slot('"+outbox.name+"')") })
	return outbox
}

// Connect is for the code under test; the connection is closed with the test.
func (o *Outbox) Connect(t testing.TB) *pgx.Conn {
	t.Helper()
	connection := connect(t, o.URL)
	t.Cleanup(func() { connection.Close(context.Background()) })
	return connection
}

// Events are those committed since the last call, in the order of commits.
func (o *Outbox) Events(t testing.TB) []Event {
	t.Helper()
	lines := o.walduct(t, "run", "-f", o.path("outbox.json"), "-w", o.path("worker.properties"), "-o", "sink=stdout",
		"--until-caught-up", "--log-level", "warn")
	var events []Event
	for decoder := json.NewDecoder(bytes.NewBufferString(lines)); decoder.More(); {
		var event Event
		if err := decoder.Decode(&event); err != nil {
			t.Fatal(err)
		}
		events = append(events, event)
	}
	return events
}

func (o *Outbox) path(name string) string { return filepath.Join(o.directory, name) }

func (o *Outbox) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(o.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (o *Outbox) walduct(t testing.TB, arguments ...string) string {
	t.Helper()
	program := os.Getenv("WALDUCT")
	if program == "" {
		program = "walduct"
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	process := exec.CommandContext(ctx, program, arguments...)
	process.Env = append(os.Environ(), "DATABASE_PASSWORD="+o.password)
	var said, told bytes.Buffer
	process.Stdout, process.Stderr = &said, &told
	if err := process.Run(); err != nil {
		t.Fatalf("walduct %s: %v\n%s", arguments[0], err, told.String())
	}
	return said.String()
}

func random(bytes int) string {
	made := make([]byte, bytes)
	_, _ = rand.Read(made)
	return hex.EncodeToString(made)
}

func connect(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	return connection
}

func admin(t testing.TB, statements ...string) {
	t.Helper()
	execute(t, shared.url.String(), statements...)
}

// Each may be a script.
func execute(t testing.TB, address string, statements ...string) {
	t.Helper()
	connection := connect(t, address)
	defer connection.Close(context.Background())
	for _, one := range statements {
		if _, err := connection.PgConn().Exec(context.Background(), one).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
}
