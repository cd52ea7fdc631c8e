// What was done, kept over restarts.

#include "live/journal.h"

#include <snapcube/error.h>

#include "support.h"

namespace snapcube::live {
namespace {

using testing::TemporaryFolder;

TEST(JournalLine, ThereAndBack) {
  const JournalEntry entry{"a \"b\".tif", FileStamp{12, -5}, "a.mat", 0.25, 0.5};
  const auto found = parse_journal_line(journal_line(entry));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, entry.input);
  EXPECT_EQ(found->stamp, entry.stamp);
  EXPECT_EQ(found->cube, entry.cube);
  EXPECT_EQ(found->seconds, 0.25);
  EXPECT_EQ(found->misfit, 0.5);
  const auto dropped = parse_journal_line(journal_line({"b.tif", FileStamp{1, 2}}));
  ASSERT_TRUE(dropped);
  EXPECT_TRUE(dropped->cube.empty());
}

TEST(JournalLine, AnythingElseIsNone) {
  for (const char* line :
       {"", "{", "[]", "1", "null", R"({"cube": "a"})", R"({"input": 5})", R"({"input": "../a"})",
        R"({"input": "a", "cube": "/etc/passwd"})", R"({"input": "a", "size": -1, "modified_ns": 2})",
        R"({"input": "a", "size": 1, "modified_ns": 0.5})", R"({"input": "a\u0000b"})", "{\"input\": \"a\""}) {
    EXPECT_FALSE(parse_journal_line(line)) << line;
  }
  EXPECT_FALSE(parse_journal_line(R"({"input": ")" + std::string(20000, 'a') + "\"}"));
  EXPECT_FALSE(parse_journal_line(std::string(10000, '[')));
}

TEST(Journal, KnowsWhatIsDone) {
  const TemporaryFolder folder;
  testing::write_file(folder / "a.mat", "");
  {
    Journal journal(folder.path());
    journal.add({"a.tif", FileStamp{1, 2}, "a.mat", 0, {}});
    journal.add({"b.tif", FileStamp{1, 2}, "b.mat", 0, {}});
    journal.add({"c.tif", FileStamp{1, 2}});
    journal.add({"frame 7", {}, "frame-000007.mat", 0, {}});
    EXPECT_THROW(Journal(folder.path()), Error) << "held by another";
  }
  // Half a line at the end, and one that means nothing.
  std::ofstream(folder / Journal::kFile, std::ios::app) << "nothing\n{\"input\": \"d.tif\"";
  testing::LogCapture log;
  {
    Journal journal(folder.path());
    testing::expect_contains(log.text(), "1 lines were not understood");
    EXPECT_TRUE(journal.is_done("a.tif", {1, 2}, false));
    EXPECT_FALSE(journal.is_done("a.tif", {1, 3}, false)) << "written again";
    EXPECT_FALSE(journal.is_done("b.tif", {1, 2}, false)) << "its cube is gone";
    EXPECT_FALSE(journal.is_done("c.tif", {1, 2}, false));
    EXPECT_TRUE(journal.is_done("c.tif", {1, 2}, true));
    EXPECT_EQ(journal.input_of("a.mat"), "a.tif");
    EXPECT_EQ(journal.input_of("x.mat"), "");
    EXPECT_EQ(journal.last_number(), 7);
    journal.add({"d.tif", FileStamp{1, 2}, "a.mat", 0, {}});
  }
  EXPECT_TRUE(Journal(folder.path()).is_done("d.tif", {1, 2}, false)) << "the half line was taken away";
}

}  // namespace
}  // namespace snapcube::live
