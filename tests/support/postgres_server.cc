#include "tests/support/postgres_server.h"

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/poller.h"
#include "postgres/connection_options.h"
#include "postgres/options.h"

namespace walduct::test_servers {
namespace {

constexpr char kDefaultBin[] = "/usr/lib/postgresql/15/bin";
constexpr absl::Duration kStartTimeout = absl::Seconds(60);

[[noreturn]] void Die(const std::string& line) {
  std::fprintf(stderr, "PostgresServer: %s\n", line.c_str());
  std::exit(1);
}

// PostgreSQL refuses to run as root.
std::string AsOwner() {
  if (getuid() != 0) return "";
  if (getpwnam("postgres") == nullptr)
    Die("no user 'postgres' to run the server as; install postgresql-15");
  return "setpriv --reuid=postgres --regid=postgres --init-groups ";
}

uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  const bool ok = bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(fd);
  if (!ok) Die("no free port");
  return ntohs(address.sin_port);
}

postgres::DatabaseOptions Superuser(uint16_t port, std::string database) {
  postgres::DatabaseOptions options;
  options.hostname = "127.0.0.1";
  options.port = std::to_string(port);
  options.user = "postgres";
  options.password = PostgresServer::kPassword;
  options.dbname = std::move(database);
  return options;
}

}  // namespace

PostgresServer& PostgresServer::Shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() {
  const char* bin = std::getenv("WALDUCT_TEST_POSTGRES_BIN");
  bin_ = bin == nullptr ? kDefaultBin : bin;
  if (access((bin_ + "/initdb").c_str(), X_OK) != 0) {
    Die(absl::StrCat("no PostgreSQL in ", bin_,
                     "; run scripts/deps, or set WALDUCT_TEST_POSTGRES_BIN"));
  }
  Initialize();
  Launch();
}

PostgresServer::~PostgresServer() {
  Terminate();
  Execute("rm -rf " + directory_);
}

int PostgresServer::Execute(const std::string& command) const {
  return std::system(
      absl::StrCat("cd / && LC_ALL=C ", command, " >>", directory_, "/log 2>&1").c_str());
}

void PostgresServer::Initialize() {
  char name[] = "/tmp/walduct-test-XXXXXX";
  if (mkdtemp(name) == nullptr) Die("no temporary directory");
  directory_ = name;
  std::ofstream(directory_ + "/password") << kPassword << "\n";
  if (getuid() == 0) Execute("chown -R postgres " + directory_);
  const int failed =
      Execute(absl::StrCat(AsOwner(), bin_, "/initdb -D ", directory_,
                           "/cluster -U postgres --encoding=UTF8 --locale=C.UTF-8 ",
                           "--auth=scram-sha-256 --no-sync --pwfile=", directory_, "/password"));
  if (failed != 0) Die(absl::StrCat("initdb failed, see ", directory_, "/log"));
  port_ = FreePort();
  std::ofstream(directory_ + "/cluster/postgresql.conf", std::ios::app)
      << "listen_addresses = '127.0.0.1'\nport = " << port_ << "\nunix_socket_directories = ''\n"
      << "wal_level = logical\nmax_replication_slots = 16\nmax_wal_senders = "
         "16\nmax_prepared_transactions = 4\n"
      << "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nautovacuum = off\n"
      << "include_if_exists = 'test.conf'\n";
}

// The server ends with us, however we end: setpriv asks the kernel for a signal, after the change
// of user.
void PostgresServer::Launch() {
  std::vector<std::string> words =
      absl::StrSplit(absl::StrCat(AsOwner().empty() ? "setpriv " : AsOwner(), "--pdeathsig=INT -- ",
                                  bin_, "/postgres -D ", directory_, "/cluster"),
                     ' ');
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    const std::string log = directory_ + "/log";
    if (chdir("/") != 0 || std::freopen(log.c_str(), "a", stderr) == nullptr) _exit(127);
    dup2(fileno(stderr), STDOUT_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  AwaitReady();
}

void PostgresServer::AwaitReady() {
  const absl::Duration deadline = Clock::Real().Monotonic() + kStartTimeout;
  while (Clock::Real().Monotonic() < deadline) {
    if (postgres::Connection::Open(
            {.database = Superuser(port_, "postgres"), .environment = Environment::Real()})
            .ok())
      return;
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) break;
    Poller::Real().WaitReadable({}, absl::Milliseconds(50));
  }
  Die(absl::StrCat("the server did not start, see ", directory_, "/log"));
}

void PostgresServer::Terminate() {
  if (pid_ <= 0) return;
  kill(pid_, SIGINT);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

postgres::DatabaseOptions PostgresServer::CreateDatabase() {
  const std::string name = absl::StrCat("test_", ++databases_);
  const auto connection = MustOpen(Superuser(port_, "postgres"));
  MustQuery(*connection, absl::StrCat("CREATE DATABASE ", name, ""));
  return Superuser(port_, name);
}

void PostgresServer::RestartWith(absl::string_view setting, absl::string_view value) {
  Terminate();
  std::ofstream conf(directory_ + "/cluster/test.conf");
  if (!value.empty()) conf << setting << " = '" << value << "'\n";
  conf.close();
  Launch();
}

std::unique_ptr<postgres::Connection> MustOpen(const postgres::DatabaseOptions& database,
                                               postgres::SessionKind kind) {
  auto connection = postgres::Connection::Open({.database = database,
                                                .kind = kind,
                                                .application_name = "walduct test",
                                                .environment = Environment::Real()});
  if (!connection.ok()) Die(connection.status().ToString());
  return *std::move(connection);
}

std::string MustQuery(postgres::Connection& connection, absl::string_view sql) {
  // What it answers may look as it likes. Run ends what is under way.
  if (const absl::Status idle = connection.Run(""); !idle.ok()) Die(idle.ToString());
  pg_result* const result = PQexec(connection.raw(), std::string(sql).c_str());
  const postgres::Result owner(result);
  const ExecStatusType state = PQresultStatus(result);
  if (state != PGRES_TUPLES_OK && state != PGRES_COMMAND_OK)
    Die(absl::StrCat(PQresultErrorMessage(result), " in ", sql));
  return PQntuples(result) > 0 && PQnfields(result) > 0 ? PQgetvalue(result, 0, 0) : "";
}

}  // namespace walduct::test_servers
