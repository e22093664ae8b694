package walducttest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/postgres"
)

const image = "postgres:17"

var settings = []string{"wal_level=logical", "fsync=off", "max_replication_slots=100", "max_wal_senders=100"}

// A server has a superuser's URL, and is stopped by Stop.
type server struct {
	url  *url.URL
	stop func() error
}

// StartServer takes the server that WALDUCT_TEST_DATABASE names, else a container where Docker answers, else the
// PostgreSQL that is installed on the machine.
func startServer() (*server, error) {
	if given := os.Getenv("WALDUCT_TEST_DATABASE"); given != "" {
		address, err := url.Parse(given)
		return &server{address, func() error { return nil }}, err
	}
	if dockerAnswers() {
		return inContainer()
	}
	return asProcesses()
}

func dockerAnswers() bool {
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return false
	}
	defer provider.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return provider.Health(ctx) == nil
}

func inContainer() (*server, error) {
	ctx := context.Background()
	command := []string{"postgres"}
	for _, one := range settings {
		command = append(command, "-c", one)
	}
	container, err := postgres.Run(ctx, image, postgres.WithUsername("postgres"), postgres.WithPassword("postgres"),
		testcontainers.WithCmd(command...), postgres.BasicWaitStrategies())
	if err != nil {
		return nil, err
	}
	text, err := container.ConnectionString(ctx)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(text)
	return &server{address, func() error { return container.Terminate(ctx) }}, err
}

func asProcesses() (*server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	made, err := run("mktemp", "-d")
	if err != nil {
		return nil, err
	}
	directory := strings.TrimSpace(made)
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(directory, "data")
	own := append([]string{"port=" + strconv.Itoa(port), "listen_addresses=127.0.0.1",
		"unix_socket_directories=" + directory}, settings...)
	if _, err := run(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"); err != nil {
		return nil, err
	}
	pgCtl := filepath.Join(bin, "pg_ctl")
	if _, err := run(pgCtl, "-D", data, "-l", filepath.Join(directory, "log"), "-w", "-o", "-c "+strings.Join(own, " -c "), "start"); err != nil {
		return nil, err
	}
	stop := func() error {
		if _, err := run(pgCtl, "-D", data, "-m", "immediate", "stop"); err != nil {
			return err
		}
		_, err := run("rm", "-rf", directory)
		return err
	}
	address := &url.URL{Scheme: "postgres", User: url.User("postgres"), Host: fmt.Sprintf("127.0.0.1:%d", port), Path: "/postgres"}
	return &server{address, stop}, nil
}

func binaries() (string, error) {
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found), nil
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(debian) == 0 {
		return "", fmt.Errorf("no PostgreSQL: install one, or start Docker, or set WALDUCT_TEST_DATABASE")
	}
	major := func(path string) int {
		number, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return number
	}
	sort.Slice(debian, func(a, b int) bool { return major(debian[a]) < major(debian[b]) })
	return filepath.Dir(debian[len(debian)-1]), nil
}

func freePort() (int, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer free.Close()
	return free.Addr().(*net.TCPAddr).Port, nil
}

// Run runs it as somebody who may own a PostgreSQL: root may not, as which containers of CI run.
func run(command ...string) (string, error) {
	if os.Geteuid() == 0 {
		command = append([]string{"runuser", "-u", "postgres", "--"}, command...)
	}
	said, err := os.CreateTemp("", "postgres") // not a pipe: the server would keep it open
	if err != nil {
		return "", err
	}
	defer os.Remove(said.Name())
	defer said.Close()
	process := exec.Command(command[0], command[1:]...)
	process.Dir, process.Stdout, process.Stderr = "/", said, said
	failed := process.Run()
	text, err := os.ReadFile(said.Name())
	if failed != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), failed, text)
	}
	return string(text), err
}
