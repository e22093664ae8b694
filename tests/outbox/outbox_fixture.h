// OutboxFixture: a database of its own with a publication, a session that cleans and one that
// writes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "outbox/cleaner.h"
#include "outbox/options.h"
#include "postgres/options.h"
#include "tests/support/postgres_server.h"

namespace walduct::outbox {

class OutboxFixture : public ::testing::Test {
 protected:
  OutboxFixture()
      : database_(test_servers::PostgresServer::Shared().CreateDatabase()),
        cleaning_(test_servers::MustOpen(database_)),
        writing_(test_servers::MustOpen(database_)),
        captured_(names::TableFilterOptions{}) {
    options_.tables = java::RegexList::OfChecked("public.outbox");
    options_.cleanup = OutboxCleanup::kDelete;
    options_.retention = absl::ZeroDuration();
  }

  void CreateTable() {
    Run("CREATE TABLE public.outbox (id int, created_at timestamptz DEFAULT clock_timestamp())");
    Run("CREATE PUBLICATION pub FOR TABLE public.outbox WITH (publish = 'insert')");
  }

  void Run(absl::string_view sql) { test_servers::MustQuery(*writing_, sql); }
  std::string Ids() {
    return test_servers::MustQuery(
        *writing_, "SELECT string_agg(id::text, ',' ORDER BY id) FROM public.outbox");
  }
  TablesQuery Query() const { return {&options_, &captured_, "pub"}; }

  Fence MustTakeFence() { return TakeFence(*cleaning_).value(); }
  Removed MustClean(const Fence& fence) {
    Cleaner cleaner({.connection = cleaning_.get(), .tables = Query(), .stopping = nullptr});
    EXPECT_TRUE(cleaner.Prepare().ok());
    Removed removed;
    const absl::Status status = cleaner.Clean(fence, &removed);
    EXPECT_TRUE(status.ok()) << status;
    return removed;
  }

  postgres::DatabaseOptions database_;
  std::unique_ptr<postgres::Connection> cleaning_, writing_;
  names::TableFilter captured_;
  OutboxOptions options_;
};

}  // namespace walduct::outbox
