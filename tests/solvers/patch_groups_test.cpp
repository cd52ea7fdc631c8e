#include "solvers/patch_groups.h"

#include <algorithm>
#include <vector>

#include "support.h"

namespace snapcube {
namespace {

PixelMajor noise_picture(int height, int width, int channels, std::uint64_t seed) {
  PixelMajor picture(height, width, channels);
  Random random(seed);
  for (float& v : picture.values) v = static_cast<float>(random.uniform());
  return picture;
}

void copy_patch(PixelMajor& picture, PatchAt from, PatchAt to, int size) {
  for (int y = 0; y < size; ++y) {
    std::copy_n(picture.at(from.y + y, from.x), size * picture.channels, picture.at(to.y + y, to.x));
  }
}

TEST(PatchGroups, FindsPlantedCopies) {
  PixelMajor picture = noise_picture(40, 40, 3, 1);
  const PatchAt original{16, 20};
  const PatchAt copies[] = {{8, 12}, {9, 24}, {24, 13}, {26, 28}};
  for (const PatchAt copy : copies) copy_patch(picture, original, copy, 5);
  picture.at(26, 28)[0] += 0.01f;  // the last is no longer exact
  PatchGroups groups(40, 40, {.patch = 5, .stride = 4, .window = 10, .group = 5});
  int index = 0;
  while (groups.reference(index) != original) ++index;
  groups.match(picture, index);
  const auto members = groups.members(index);
  ASSERT_EQ(members.size(), 5u);
  EXPECT_EQ(members[0], original);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(members[i + 1], copies[i]) << "equal ones by their place, " << i;
}

TEST(PatchGroups, SearchesNoFartherThanTheWindow) {
  PixelMajor picture = noise_picture(30, 30, 1, 2);
  copy_patch(picture, {12, 12}, {12, 23}, 4);
  for (const int window : {10, 11}) {
    PatchGroups groups(30, 30, {.patch = 4, .stride = 4, .window = window, .group = 2});
    int index = 0;
    while (groups.reference(index) != PatchAt{12, 12}) ++index;
    groups.match(picture, index);
    EXPECT_EQ(groups.members(index)[1] == (PatchAt{12, 23}), window == 11);
  }
}

TEST(PatchGroups, CoverEveryFrame) {
  struct Size {
    int height, width;
  };
  for (const Size size : {Size{1, 1}, Size{1, 9}, Size{13, 40}, Size{40, 13}, Size{5, 5}, Size{6, 6}, Size{7, 127}}) {
    for (const int stride : {1, 4, 9}) {
      SCOPED_TRACE(::testing::Message() << size.height << "×" << size.width << ", stride " << stride);
      const PixelMajor picture = noise_picture(size.height, size.width, 2, 3);
      PatchGroups groups(size.height, size.width, {.patch = 6, .stride = stride, .window = 4, .group = 20});
      std::vector<int> covered(static_cast<std::size_t>(size.height) * size.width, 0);
      for (int g = 0; g < groups.count(); ++g) {
        groups.match(picture, g);
        std::vector<PatchAt> members(groups.members(g).begin(), groups.members(g).end());
        ASSERT_EQ(members[0], groups.reference(g));
        for (const PatchAt p : members) {
          ASSERT_GE(std::min(p.y, p.x), 0);
          ASSERT_LE(p.y + groups.patch_height(), size.height);
          ASSERT_LE(p.x + groups.patch_width(), size.width);
        }
        for (int y = 0; y < groups.patch_height(); ++y) {
          for (int x = 0; x < groups.patch_width(); ++x) {
            ++covered[static_cast<std::size_t>(members[0].y + y) * size.width + (members[0].x + x)];
          }
        }
        std::ranges::sort(members, {}, [](PatchAt p) { return std::pair(p.y, p.x); });
        ASSERT_EQ(std::ranges::adjacent_find(members), members.end()) << "a patch is in a group once";
      }
      EXPECT_GE(std::ranges::min(covered), 1);
    }
  }
}

TEST(PatchGroups, TakeWhatAFrameHas) {
  const PatchGroups small(7, 6, {.patch = 6, .stride = 4, .window = 10, .group = 40});
  EXPECT_EQ(small.group_size(), 2);
  const PatchGroups pixel(1, 1, {});
  EXPECT_EQ(pixel.count(), 1);
  EXPECT_EQ(pixel.group_size(), 1);
  EXPECT_EQ(pixel.patch_height(), 1);
}

}  // namespace
}  // namespace snapcube
