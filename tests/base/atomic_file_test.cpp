#include "base/atomic_file.h"

#include <fstream>

#include <snapcube/error.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::TemporaryFolder;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(AtomicFile, ReplacesOnCommit) {
  TemporaryFolder folder;
  std::ofstream(folder / "a.txt") << "old";
  AtomicFile file(folder / "a.txt");
  file.write("new", 3);
  EXPECT_EQ(content(folder / "a.txt"), "old");
  file.commit();
  EXPECT_EQ(content(folder / "a.txt"), "new");
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  { AtomicFile(folder / "a.txt").write("new", 3); }
  EXPECT_TRUE(folder.is_empty());
}

TEST(AtomicFile, NamesTheTargetWhenTheFolderIsMissing) {
  const std::string message = testing::error_of<Error>([] { AtomicFile file("/nowhere/at/all.txt"); });
  EXPECT_NE(message.find("/nowhere/at/all.txt"), std::string::npos) << message;
}

TEST(AtomicFolder, ReplacesAWholeFolder) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "bands");
  std::ofstream(folder / "bands/old.png") << "old";
  AtomicFolder target(folder / "bands/");
  std::ofstream(target.path() / "new.png") << "new";
  target.commit();
  EXPECT_FALSE(std::filesystem::exists(folder / "bands/old.png"));
  EXPECT_EQ(content(folder / "bands/new.png"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFolder, RefusesToReplaceAFile) {
  TemporaryFolder folder;
  std::ofstream(folder / "bands") << "a file";
  EXPECT_THROW(AtomicFolder{folder / "bands"}, Error);
}

}  // namespace
}  // namespace snapcube
