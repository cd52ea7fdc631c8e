// What can be changed, asked and found after a method was opened.

#include <algorithm>
#include <filesystem>
#include <string>

#include <snapcube/snapcube.h>

#include "engine/random_weights.h"
#include "models/weights.h"
#include "support.h"

namespace snapcube {
namespace {

struct Model {
  testing::TemporaryFolder folder;
  std::string file = folder / "settings-test.safetensors";
  Camera camera{random_mask(64, 64, MaskKind::binary, 0.5, 1), {.bands = 6}};
  Image measurement = camera.forward(testing::random_cube(6, 64, 64, 1));

  Model() {
    ModelConfig config = cst_variant("cst-s");
    config.bands = 6;
    config.wavelengths.clear();
    write_weights(engine::random_weights(config, 1), file);
  }
};

bool same(const Cube& a, const Cube& b) { return std::ranges::equal(a.values(), b.values()); }

TEST(Settings, ChangeWithoutReadingTheWeightsAgain) {
  const Model m;
  Reconstructor method = Reconstructor::open_model(m.file);
  EXPECT_EQ(method.settings().at("sparsity"), "0.5");
  const Cube usual = method.reconstruct(m.measurement, m.camera);
  const Cube expected = Reconstructor::open_model(m.file, {{"sparsity", "0.25"}}).reconstruct(m.measurement, m.camera);
  ASSERT_FALSE(same(usual, expected));

  std::filesystem::remove(m.file);
  method.configure({{"sparsity", "0.25"}});
  EXPECT_EQ(method.settings().at("sparsity"), "0.25");
  EXPECT_TRUE(same(method.reconstruct(m.measurement, m.camera), expected));
  method.configure({{"sparsity", "0.5"}});
  EXPECT_TRUE(same(method.reconstruct(m.measurement, m.camera), usual));
}

TEST(Settings, AllOrNone) {
  const Model m;
  for (const std::string& name : {m.file, std::string("gap-tv")}) {
    Reconstructor method = Reconstructor::open(name);
    const Reconstructor::Settings before = method.settings();
    const std::string good = name == m.file ? "max_memory" : "iterations";  // comes before the bad one
    EXPECT_THROW(method.configure({{good, "123"}, {"zzz", "1"}}), InputError);
    EXPECT_EQ(method.settings(), before);
  }
  Reconstructor method = Reconstructor::open_model(m.file);
  EXPECT_THROW(method.configure({{"sparsity", "1.5"}}), InputError);
  EXPECT_EQ(method.settings().at("sparsity"), "0.5");
}

TEST(Settings, AMemoryLimitIsASize) {
  const Model m;
  Reconstructor method = Reconstructor::open_model(m.file, {{"max_memory", "1500"}});
  EXPECT_EQ(method.settings().at("max_memory"), "1500");
  method.configure({{"max_memory", "1500000001B"}});
  EXPECT_EQ(method.settings().at("max_memory"), "1500000001B");
  EXPECT_THROW(method.configure({{"max_memory", "much"}}), InputError);
  method.configure({{"max_memory", "1M"}});
  const auto error = testing::error_of<InputError>([&] { method.reconstruct(m.measurement, m.camera); });
  EXPECT_NE(error.find("max_memory"), std::string::npos) << error;
}

TEST(Settings, ThreadsChangeNoByte) {
  const Model m;
  for (const std::string& name : {m.file, std::string("gap-tv")}) {
    Reconstructor method = Reconstructor::open(name);
    if (name == "gap-tv") method.configure({{"iterations", "3"}});
    const Cube usual = method.reconstruct(m.measurement, m.camera);
    for (const int threads : {1, 2, 3, 0}) {
      method.set_threads(threads);
      EXPECT_TRUE(same(method.reconstruct(m.measurement, m.camera), usual)) << name << ", " << threads;
    }
    EXPECT_THROW(method.set_threads(-1), InputError);
  }
}

TEST(Settings, OnlyMethodsThatKnowTheResidualReportIt) {
  const Model m;
  const auto reports_residual = [&](Reconstructor method) {
    bool known = false;
    method.reconstruct(m.measurement, m.camera,
                       [&](const Progress& p) { return known = p.residual.has_value(), true; });
    return known;
  };
  EXPECT_TRUE(reports_residual(Reconstructor::open("gap-tv", {{"iterations", "2"}})));
  EXPECT_TRUE(reports_residual(Reconstructor::open("twist", {{"iterations", "2"}})));
  EXPECT_FALSE(reports_residual(Reconstructor::open_model(m.file)));
}

TEST(Models, AreFoundInFoldersThatTheProgramNames) {
  const Model m;
  const std::string name = "settings-test";
  EXPECT_THROW(Reconstructor::open_model(name), InputError);
  add_model_folder(m.folder.path().string());
  EXPECT_EQ(Reconstructor::open_model(name).method(), "cst-s");
  const auto all = installed_models();
  const auto found = std::ranges::find(all, name, &ModelInfo::name);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->path, m.file);
  EXPECT_EQ(found->bands, 6);
}

TEST(Version, TheMacrosAndTheLibraryAgree) {
  EXPECT_EQ(std::string(version()), SNAPCUBE_VERSION_STRING);
  EXPECT_EQ(std::string(version()), std::to_string(SNAPCUBE_VERSION_MAJOR) + "." +
                                        std::to_string(SNAPCUBE_VERSION_MINOR) + "." +
                                        std::to_string(SNAPCUBE_VERSION_PATCH));
}

}  // namespace
}  // namespace snapcube
