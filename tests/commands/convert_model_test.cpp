// snapcube convert with weights files.

#include <filesystem>

#include "models/any_weights.h"
#include "pth_files.h"
#include "run.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

TEST(ConvertModel, PyTorchToSafetensors) {
  TemporaryFolder folder;
  const std::string output = folder / "w.safetensors";
  const Result done = snapcube("convert " + data_file("models/zip_checkpoint.pth") + " " + output +
                               " --seed 7 --sigma 0.25 --rounds 3 --window 8 --bucket 32 --step -1 --scale max "
                               "--wavelengths 550");
  ASSERT_EQ(done.code, 0) << done.output;
  expect_contains(done.output, "PyTorch, zip");
  expect_contains(done.output, "From names and shapes: cst, 1 bands, 1+1+1 blocks");
  expect_contains(done.output, "drawn from seed 7");
  EXPECT_FALSE(contains(done.output, "As published"));
  const Weights weights = read_any_weights(output).weights;
  EXPECT_EQ(weights.config.sparsity, 0.25);
  EXPECT_EQ(weights.config.rounds, 3);
  EXPECT_EQ(weights.config.window, 8);
  EXPECT_EQ(weights.config.bucket, 32);
  EXPECT_EQ(weights.config.step, -1);
  EXPECT_EQ(weights.config.scale, MeasurementScale::max);
  EXPECT_EQ(weights.config.wavelengths, (std::vector<double>{550}));
}

TEST(ConvertModel, HalfPrecisionIsHalfAsLong) {
  TemporaryFolder folder;
  const std::string input = data_file("models/legacy_shared.pth");
  ASSERT_EQ(snapcube("convert " + input + " " + (folder / "f.safetensors")).code, 0);
  ASSERT_EQ(snapcube("convert --half " + (folder / "f.safetensors") + " " + (folder / "h.safetensors")).code, 0);
  // Headers are equally long, but for the names of the types.
  const auto full = std::filesystem::file_size(folder / "f.safetensors");
  const auto half = std::filesystem::file_size(folder / "h.safetensors");
  EXPECT_LT(half + 2000, full);
}

TEST(ConvertModel, RefusalsExitWithTwoAndLeaveNothing) {
  TemporaryFolder folder;
  const auto refused = [&](const std::string& input, const std::string& options = "") {
    const Result done = snapcube("convert " + input + " " + (folder / "w.safetensors") + " " + options);
    EXPECT_EQ(done.code, 2) << done.output;
    EXPECT_FALSE(std::filesystem::exists(folder / "w.safetensors"));
    return done.output;
  };
  write_file(folder / "run.pth",
             pth_zip(pickled::call("posix", "system", {pickled::text("touch " + (folder / "made"))}), {}));
  expect_contains(refused(folder / "run.pth"),
                  "a request for 'posix.system'; in Python, torch.save(model.state_dict()");
  EXPECT_FALSE(std::filesystem::exists(folder / "made"));
  expect_contains(refused(data_file("models/small_zip.pth")), "expected those of a CST network ('fution.weight', …)");
  expect_contains(refused(data_file("io/numpy_u1.npy")), "expected weights: safetensors, or a .pth of PyTorch");
  expect_contains(refused(data_file("models/zip_plain.pth"), "--window 7"), "window: expected an even number");
  const Result done = snapcube("convert " + data_file("models/zip_plain.pth") + " " + (folder / "w.mat"));
  EXPECT_EQ(done.code, 2);
  expect_contains(done.output, "expected a name that ends in .safetensors, for weights");
}

}  // namespace
}  // namespace snapcube
