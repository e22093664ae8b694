#include "offset/file_offset_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/whole_file.h"
#include "java/serial/hash_map_file.h"
#include "offset/offset_file.h"

namespace walduct::offset {
namespace {

const OffsetIdentity kIdentity{"orders-connector", "srv"};

class FileOffsetStoreTest : public testing::Test {
 protected:
  FileOffsetStoreTest()
      : directory_(testing::TempDir() + "/offsets-" +
                   testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
  }
  ~FileOffsetStoreTest() override { std::filesystem::remove_all(directory_); }

  std::string path() const { return directory_ + "/connect.offsets"; }
  std::unique_ptr<FileOffsetStore> Open(OffsetIdentity identity = kIdentity) const {
    auto store = FileOffsetStore::Create(path(), std::move(identity));
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }
  static StoredOffset At(uint64_t lsn) {
    StoredOffset offset;
    offset.position.commit_end = Lsn(lsn);
    return offset;
  }
  static uint64_t LoadedLsn(FileOffsetStore& store) {
    const auto offset = store.Load();
    EXPECT_TRUE(offset.ok()) << offset.status();
    return offset.ok() && offset->has_value() ? (*offset)->position.commit_end.value() : 0;
  }

  const std::string directory_;
};

TEST_F(FileOffsetStoreTest, NoFileMeansNoOffset) {
  const auto loaded = Open()->Load();
  ASSERT_TRUE(loaded.ok());
  EXPECT_FALSE(loaded->has_value());
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(FileOffsetStoreTest, WhatWasSavedIsLoaded) {
  const auto store = Open();
  ASSERT_TRUE(store->StartSave(At(42)).ok());
  EXPECT_EQ(store->PollSave(), absl::OkStatus());
  EXPECT_EQ(LoadedLsn(*Open()), 42u);
}

TEST_F(FileOffsetStoreTest, RST_18_AFileOfConnectIsResumed) {
  std::filesystem::copy_file(WALDUCT_SOURCE_DIR "/tests/golden/offsets/streaming.dat", path());
  EXPECT_EQ(LoadedLsn(*Open()), 3594073400u);
}

TEST_F(FileOffsetStoreTest, EntriesOfOtherConnectorsAreKept) {
  ASSERT_TRUE(Open({"other", "o"})->StartSave(At(7)).ok());
  ASSERT_TRUE(Open()->StartSave(At(42)).ok());
  ASSERT_TRUE(Open()->Erase().ok());
  EXPECT_EQ(LoadedLsn(*Open({"other", "o"})), 7u);
  EXPECT_EQ(LoadedLsn(*Open()), 0u);
}

TEST_F(FileOffsetStoreTest, AnErasedOffsetIsToldFromOneThatNeverWas) {
  const auto store = Open();
  EXPECT_EQ(LoadedLsn(*store), 0u);
  EXPECT_FALSE(store->erased());
  ASSERT_TRUE(store->StartSave(At(42)).ok());
  ASSERT_TRUE(store->Erase().ok());
  EXPECT_EQ(LoadedLsn(*store), 0u);
  EXPECT_TRUE(store->erased());
  ASSERT_TRUE(store->StartSave(At(43)).ok());
  EXPECT_EQ(LoadedLsn(*store), 43u);
}

TEST_F(FileOffsetStoreTest, APositionOfAnotherProcessIsNotOverwritten) {
  const auto a = Open();
  EXPECT_EQ(LoadedLsn(*a), 0u);
  ASSERT_TRUE(a->StartSave(At(10)).ok());
  const auto b = Open();
  EXPECT_EQ(LoadedLsn(*b), 10u);
  ASSERT_TRUE(b->StartSave(At(20)).ok());
  const absl::Status late = a->StartSave(At(30));
  EXPECT_EQ(ErrorReason(late), "offset_superseded");
  EXPECT_TRUE(absl::IsFailedPrecondition(late));
  EXPECT_EQ(LoadedLsn(*Open()), 20u);
  ASSERT_TRUE(b->StartSave(At(25)).ok()) << "the other one goes on";
  EXPECT_EQ(LoadedLsn(*a), 25u);
  ASSERT_TRUE(a->StartSave(At(30)).ok()) << "a restart takes up what is there";
}

TEST_F(FileOffsetStoreTest, EntriesOfOthersMayChangeMeanwhile) {
  const auto store = Open();
  ASSERT_TRUE(store->StartSave(At(10)).ok());
  ASSERT_TRUE(Open({"other", "o"})->StartSave(At(7)).ok());
  EXPECT_TRUE(store->StartSave(At(20)).ok());
}

// As a save of another process that has not ended.
TEST_F(FileOffsetStoreTest, AFileThatIsBeingWrittenIsLeftAlone) {
  const auto store = Open();
  for (const bool exists : {false, true}) {
    if (exists) {
      ASSERT_TRUE(store->StartSave(At(10)).ok());
    }
    const FileLock other(path());
    EXPECT_TRUE(other.status(path()).ok());
    EXPECT_EQ(ErrorReason(store->StartSave(At(20))), "offset_file_locked") << exists;
  }
  EXPECT_TRUE(store->StartSave(At(20)).ok());
}

TEST_F(FileOffsetStoreTest, AnotherSpellingOfTheKeyIsReplaced) {
  java::HashMapFile map;
  map.Set(R"(["orders-connector", {"server": "srv"}])", R"({"lsn":5})");
  ASSERT_TRUE(ReplaceOffsetFile(path(), map.Serialize()).ok());
  const auto store = Open();
  EXPECT_EQ(LoadedLsn(*store), 5u);
  ASSERT_TRUE(store->StartSave(At(6)).ok());
  EXPECT_EQ(LoadedLsn(*store), 6u);
  const auto rewritten = java::HashMapFile::Parse(*ReadOffsetFile(path()));
  ASSERT_TRUE(rewritten.ok());
  EXPECT_EQ(rewritten->entries().size(), 1u);
}

TEST_F(FileOffsetStoreTest, PermissionsOfTheFileAreKeptAndNothingElseIsLeft) {
  ASSERT_TRUE(Open()->StartSave(At(1)).ok());
  ASSERT_EQ(chmod(path().c_str(), 0600), 0);
  ASSERT_TRUE(Open()->StartSave(At(2)).ok());
  struct stat status {};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(FileOffsetStoreTest, ADirectoryThatIsNotThereIsFoundBeforeAnythingIsDone) {
  const auto store = FileOffsetStore::Create(directory_ + "/missing/offsets", kIdentity);
  EXPECT_TRUE(absl::IsFailedPrecondition(store.status()));
  EXPECT_EQ(ErrorReason(store.status()), "offset_file_unwritable");
  EXPECT_NE(store.status().message().find("/missing/offsets"), absl::string_view::npos);
}

// Another file would mean another snapshot.
TEST_F(FileOffsetStoreTest, AFileWithAPositionIsToBeKept) {
  ASSERT_TRUE(Open()->StartSave(At(42)).ok());
  const bool root = geteuid() == 0;
  chmod(path().c_str(), 0400);
  if (root) static_cast<void>(seteuid(65534));
  const absl::Status refused = FileOffsetStore::Create(path(), kIdentity).status();
  if (root) static_cast<void>(seteuid(0));
  EXPECT_EQ(ErrorReason(refused), "offset_file_unwritable");
  const std::string hint = ErrorHint(refused);
  EXPECT_NE(hint.find("chmod u+rw " + path()), std::string::npos) << hint;
  EXPECT_NE(hint.find("keep this file"), std::string::npos) << hint;
  EXPECT_EQ(hint.find("offset.storage.file.filename"), std::string::npos) << hint;
  EXPECT_EQ(LoadedLsn(*Open()), 42u);
}

// A save of another process has it under way: without it that one's rename fails, and an empty one
// in its place would become the positions of all.
TEST_F(FileOffsetStoreTest, WhoLooksWhetherItCanBeWrittenLeavesAnotherSaveAlone) {
  const std::string under_way = TemporaryOf(path());
  std::ofstream(under_way) << "another's";
  ASSERT_NE(Open(), nullptr);
  EXPECT_EQ(ReadWholeFile(under_way), "another's");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(FileOffsetStoreTest, ALinkStaysAndTheFileBehindItIsWritten) {
  const std::string folder = directory_ + "/volume";
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink("volume/next", path());
  std::filesystem::create_symlink(folder + "/offsets", folder + "/next");
  ASSERT_TRUE(Open()->StartSave(At(1)).ok()) << "there is no file yet";
  ASSERT_TRUE(Open()->StartSave(At(2)).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path()));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder + "/offsets"));
  EXPECT_EQ(LoadedLsn(*Open()), 2u);
}

TEST_F(FileOffsetStoreTest, ADirectoryInTheFilesPlaceIsRefused) {
  std::filesystem::create_directory(path());
  EXPECT_EQ(ErrorReason(FileOffsetStore::Create(path(), kIdentity).status()),
            "offset_file_unwritable");
}

TEST_F(FileOffsetStoreTest, AMalformedFileIsNotOverwritten) {
  std::ofstream(path()) << "not java";
  const auto store = Open();
  EXPECT_TRUE(absl::IsDataLoss(store->Load().status()));
  EXPECT_TRUE(absl::IsDataLoss(store->StartSave(At(1))));
  EXPECT_EQ(*ReadOffsetFile(path()), "not java");
}

}  // namespace
}  // namespace walduct::offset
