#include "commands/live_preview.h"

#include <filesystem>

#include "support.h"

namespace snapcube {
namespace {

using namespace std::chrono_literals;
using testing::file_content;

TEST(LivePreview, IsWrittenAnewWhileAMethodRuns) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "p.png";
  LivePreview preview(path, "scene · desci", {}, 0ms);
  const Cube dark(3, 8, 8, 0.1f);
  const Cube bright(3, 8, 8, 0.9f);
  preview.update({0, 9, 0.5, nullptr});
  EXPECT_FALSE(std::filesystem::exists(path)) << "there was nothing to show";
  preview.update({1, 9, 0.5, &dark});
  const std::string first = file_content(path);
  preview.update({1, 9, 0.5, &bright});
  const std::string second = file_content(path);
  EXPECT_NE(first, second);
  preview.update({2, 9, 0.5, &bright});
  EXPECT_NE(second, file_content(path)) << "the title tells the iteration";
  preview.finish(dark, 1.5, 0.02);
  PreviewOptions expected;
  expected.title = "scene · desci · 1.5 s";
  expected.misfit = 0.02;
  write_png(render_preview(dark, expected), folder / "expected.png");
  EXPECT_TRUE(file_content(path) == file_content(folder / "expected.png"));
}

TEST(LivePreview, ShortRunsShowTheResultOnly) {
  const testing::TemporaryFolder folder;
  const Cube cube(2, 5, 4, 0.5f);
  LivePreview preview(folder / "p.png", "scene", {});
  preview.update({1, 2, 0.1, &cube});
  EXPECT_TRUE(folder.is_empty());
  preview.finish(cube, 0.2, 0.02);
  EXPECT_TRUE(std::filesystem::exists(folder / "p.png"));
}

TEST(LivePreview, WithoutAPathThereIsNone) {
  const Cube cube(2, 5, 4, 0.5f);
  LivePreview preview("", "scene", {}, 0ms);
  preview.update({1, 2, 0.1, &cube});
  preview.finish(cube, 0.2, 0.02);
}

}  // namespace
}  // namespace snapcube
