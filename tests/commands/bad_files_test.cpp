// The table of bad files: each is made, read, and refused with the words that it deserves; nothing else is thrown.

#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "bad_files/arrays.h"
#include "bad_files/images.h"
#include "bad_files/weights.h"
#include "models/any_weights.h"
#include "models/pth.h"
#include "run.h"
#include "support.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

void read(const BadFile& bad, const std::string& path) {
  ReadOptions options;
  options.max_bytes = 64 << 20;
  switch (bad.as) {
    case ReadAs::cube:
      read_cube(path, options);
      return;
    case ReadAs::image:
      read_measurement(path, options);
      return;
    case ReadAs::tensors:
      open_pth(std::as_bytes(std::span(bad.content)), path, options.max_bytes).read(options.max_bytes);
      return;
    case ReadAs::weights:
      read_any_weights(path, {.max_bytes = options.max_bytes});
  }
}

TEST(BadFiles, EachIsRefusedWithTheWordsThatItDeserves) {
  TemporaryFolder folder;
  const LogCapture quiet;
  write(random_cube(4, 16, 16, 1), folder / "good.h5");
  BadFiles all;
  for (BadFiles part :
       {bad_npy(), bad_npz(), bad_mat(), bad_envi(), bad_png(), bad_tiff(), bad_hdf5(file_content(folder / "good.h5")),
        bad_safetensors(), bad_pth_zip(), bad_pth_legacy(), bad_networks()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  EXPECT_GE(all.size(), 60u);
  std::size_t number = 0;
  for (const BadFile& bad : all) {
    SCOPED_TRACE(bad.name + ": " + bad.what);
    // A folder of its own, so that nothing of the file before is found beside it.
    const std::filesystem::path place = folder.path() / std::to_string(number++);
    std::filesystem::create_directory(place);
    write_file((place / bad.name).string(), bad.content);
    for (const auto& [name, content] : bad.beside) write_file((place / name).string(), content);
    const std::string message = error_of<InputError>([&] { read(bad, (place / bad.name).string()); });
    expect_contains(message, bad.verdict);
    expect_contains(message, (place / "x.").string());  // an ENVI header's data may be to blame
  }
}

/// What is wrong with two files together.
TEST(BadFiles, PairsThatDoNotFit) {
  TemporaryFolder folder;
  const LogCapture quiet;
  write_mask(random_image(16, 16, 1), folder / "mask.npy");
  write_mask(Image(16, 16, 1.0f), folder / "constant.npy");
  write_measurement(random_image(16, 22, 2), folder / "shot.npy");
  write_measurement(random_image(16, 23, 2), folder / "wide.npy");
  const auto refusal = [&](const std::string& shot, const std::string& mask) {
    const Result result = snapcube("reconstruct " + (folder / shot) + " --mask " + (folder / mask) +
                                   " --bands 4 --step 2 -o " + (folder / "x.npy"));
    return result.code == 2 ? result.output : "";
  };
  expect_contains(refusal("shot.npy", "constant.npy"), "The mask is constant: every pixel is 1");
  expect_contains(refusal("wide.npy", "mask.npy"), "expected 16×22");
  EXPECT_EQ(refusal("shot.npy", "mask.npy"), "");
}

/// A name in a file shall not move the cursor, and JSON stays JSON.
TEST(BadFiles, NamesDoNotReachTheTerminalAsTheyAre) {
  TemporaryFolder folder;
  const std::string values(48, '\0');
  write_file(folder / "x.mat", mat_header() + mat_array(6, 2, 3, values, 9, "a\x1b[31m\n") +
                                   mat_array(6, 2, 3, values, 9,
                                             "\xc2\x9b"
                                             "b\xff"));
  const Result told = snapcube("inspect " + (folder / "x.mat"));
  EXPECT_EQ(told.code, 0);
  expect_contains(told.output, "a?[31m?: 2×3 float64");
  EXPECT_FALSE(contains(told.output, "\x1b")) << told.output;
  EXPECT_FALSE(contains(told.output, "\xc2\x9b")) << told.output;
  const Result refused = snapcube("convert " + (folder / "x.mat") + " " + (folder / "x.npy"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_FALSE(contains(refused.output, "\x1b")) << refused.output;
  const Result json = snapcube("inspect --json " + (folder / "x.mat"));
  EXPECT_EQ(json.code, 0) << json.output;
  EXPECT_EQ(nlohmann::json::parse(json.output).at("arrays").size(), 2u);
}

/// However many arrays there are, a refusal is a sentence.
TEST(BadFiles, MessagesDoNotGrowWithTheFile) {
  TemporaryFolder folder;
  std::string content = mat_header();
  for (int i = 0; i < 500; ++i) content += mat_array(6, 2, 3, std::string(48, '\0'), 9, "array" + std::to_string(i));
  write_file(folder / "x.mat", content);
  const std::string message = error_of<InputError>([&] { read_measurement(folder / "x.mat"); });
  expect_contains(message, "… 500 in all");
  EXPECT_LT(message.size(), 2000u);
}

}  // namespace
}  // namespace snapcube
