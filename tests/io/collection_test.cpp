#include "io/collection.h"

#include <filesystem>
#include <fstream>

#include <snapcube/error.h>

#include "support.h"

namespace snapcube {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::TemporaryFolder;

/// Empty files: only their names count here.
void touch(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path).flush();
  ASSERT_TRUE(fs::exists(path));
}

TEST(Collection, ListsFilesAndFoldersOfBandsByName) {
  const TemporaryFolder folder;
  for (const char* name : {"d.mat", "B.H5", "notes.txt", ".hidden.mat", "c_ms/c_ms_01.png", "c_ms/c_ms_02.png",
                           "a_ms/a_ms/a_ms_01.png", "a_ms/a_ms/a_ms_02.png", "a_ms/a_ms/Thumbs.db", "other/x.txt"}) {
    touch(folder.path() / name);
  }
  const std::vector<std::string> expected{folder / "B.H5", folder / "a_ms", folder / "c_ms", folder / "d.mat"};
  EXPECT_EQ(collection(folder.path().string()), expected);
  EXPECT_TRUE(is_collection(folder.path().string()));
  EXPECT_FALSE(is_collection(folder / "c_ms"));
  EXPECT_FALSE(is_collection(folder / "d.mat"));
  EXPECT_FALSE(is_collection(folder / "none"));
  // The folder around one folder of bands is a collection of one.
  EXPECT_TRUE(is_collection(folder / "a_ms"));
  EXPECT_EQ(collection(folder / "a_ms"), std::vector<std::string>{folder / "a_ms/a_ms"});
}

TEST(Collection, RefusesAFolderWithoutScenes) {
  const TemporaryFolder folder;
  const std::string name = folder.path().string();
  touch(folder.path() / "notes.txt");
  EXPECT_EQ(
      error_of<InputError>([&] { collection(name); }),
      name + ": expected files of a known format (.mat .npy .npz .h5 .hdr .tif .png) or folders of PNGs, found none");
  EXPECT_EQ(error_of<InputError>([&] { collection(folder / "none"); }),
            folder / "none" + ": expected a readable folder, found No such file or directory");
}

TEST(Collection, StemIsTheNameWithoutExtensionAndVariable) {
  EXPECT_EQ(stem("dir/scene01.mat"), "scene01");
  EXPECT_EQ(stem("dir/scene01.mat:img[3]"), "scene01");
  EXPECT_EQ(stem("scene.v2.h5"), "scene.v2");
  EXPECT_EQ(stem("dir/balloons_ms"), "balloons_ms");
  EXPECT_EQ(stem("dir/balloons_ms/"), "balloons_ms");
  EXPECT_EQ(stem("dir/balloons_v1.2"), "balloons_v1.2");
}

}  // namespace
}  // namespace snapcube
