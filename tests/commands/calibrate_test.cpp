// snapcube calibrate, as a script calls it.

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "run.h"

namespace snapcube {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::Result;

struct SmallBench {
  testing::TemporaryFolder folder;
  std::string bench = folder / "bench";
  SmallBench() {
    const Result made = testing::snapcube("simulate --size 48x48 --wavelengths 450:25:7 --bench " + bench);
    EXPECT_EQ(made.code, 0) << made.output;
  }
  Result calibrate(const std::string& more) const {
    return testing::snapcube(fmt::format("calibrate {0}/captures --dark {0}/dark {1}", bench, more));
  }
};

TEST(CalibrateCommand, WritesACameraAPageAndJson) {
  const SmallBench small;
  const std::string camera = small.folder / "camera.h5";
  const std::string page = small.folder / "page.html";
  const Result done = small.calibrate(fmt::format(
      "--white {0}/white --exposures {0}/exposures --mask-picture {0}/mask.png --quiet --json --report {1} -o {2}",
      small.bench, page, camera));
  ASSERT_EQ(done.code, 0) << done.output;
  const auto json = nlohmann::json::parse(done.output);
  EXPECT_EQ(json["bands"], 7);
  EXPECT_EQ(json["captures"].size(), 7u);
  EXPECT_NEAR(json["detector"]["gain"].get<double>(), 4.5, 0.2);
  EXPECT_EQ(json["positions"].size(), json["band_gains"].size());
  const CameraFile file = read_camera(camera);
  EXPECT_EQ(file.bands(), 7);
  EXPECT_TRUE(file.provenance.contains("measured_positions"));
  const std::string html = testing::file_content(page);
  for (const char* part : {"class=\"verdict\"", "Residuals", "Contrast of the mask", "Photon transfer", "525nm.png"}) {
    EXPECT_TRUE(contains(html, part)) << part;
  }
  EXPECT_FALSE(contains(html, "http://") || contains(html, "https://"));  // it needs nothing else

  // The same files give the same bytes.
  const std::string again = small.folder / "again.h5";
  const Result twice =
      small.calibrate(fmt::format("--white {0}/white --exposures {0}/exposures --mask-picture "
                                  "{0}/mask.png --threads 2 -o {1}",
                                  small.bench, again));
  ASSERT_EQ(twice.code, 0) << twice.output;
  EXPECT_TRUE(testing::file_content(camera) == testing::file_content(again));
}

TEST(CalibrateCommand, WhatIsRefusedWritesNothing) {
  const SmallBench small;
  fs::copy(small.bench + "/captures/500nm.png", small.bench + "/captures/x_500nm.png");
  const Result twice =
      small.calibrate(fmt::format("--report {0} -o {1}", small.folder / "p.html", small.folder / "c.h5"));
  EXPECT_EQ(twice.code, 2);
  EXPECT_TRUE(contains(twice.output, "x_500nm.png: wavelength: expected each once, found 500 nm")) << twice.output;
  fs::remove(small.bench + "/captures/x_500nm.png");
  const Result name = small.calibrate("-o " + (small.folder / "c.mat"));
  EXPECT_EQ(name.code, 2);
  const Result no_dark = testing::snapcube("calibrate " + small.bench + "/captures -o " + (small.folder / "c.h5"));
  EXPECT_EQ(no_dark.code, 2);
  EXPECT_TRUE(contains(no_dark.output, "--dark")) << no_dark.output;
  EXPECT_FALSE(fs::exists(small.folder / "c.h5"));
  EXPECT_FALSE(fs::exists(small.folder / "p.html"));
  // Nor is a bench laid over files.
  EXPECT_EQ(testing::snapcube("simulate --bench " + small.bench).code, 2);
}

}  // namespace
}  // namespace snapcube
