// MST in the engine: against the published implementation, against its description, and what a user relies on.

#include <snapcube/error.h>
#include <snapcube/mask.h>
#include <snapcube/reconstructor.h>

#include "engine/mst_network.h"
#include "golden_weights.h"
#include "methods/choose_method.h"
#include "mst_reference.h"

namespace snapcube::engine {
namespace {

using Guides = MstNetwork::Guides;
using testing::golden_array;
using testing::golden_weights;
using testing::GoldenArray;

Image image_of(const GoldenArray& a) {
  Image image(static_cast<int>(a.shape[0]), static_cast<int>(a.shape[1]));
  std::copy(a.values.begin(), a.values.end(), image.data());
  return image;
}

TEST(MstGolden, Networks) {
  const Image measurement = image_of(golden_array("zoo/input", "measurement"));
  const Camera camera(image_of(golden_array("zoo/input", "mask")));
  for (const auto& [name, file] :
       {std::pair{"mst-s", "zoo/mst_s"}, std::pair{"mst-m", "zoo/mst_m"}, std::pair{"mst-l", "zoo/mst_l"}}) {
    MstNetwork network(golden_weights(network_config(name)));
    network.prepare(camera, 2);
    Cube out(28, 256, 256);
    network.run(Frame(measurement, camera, MeasurementScale::sum), out);
    const GoldenArray wanted = golden_array(file, "every_16th");
    const GoldenArray means = golden_array(file, "mean");
    const GoldenArray deviations = golden_array(file, "std");
    double error = 0;
    double size = 0;
    for (int b = 0; b < 28; ++b) {
      for (int y = 0; y < 256; y += 16) {
        for (int x = 0; x < 256; x += 16) {
          const double w = wanted(b, y / 16, x / 16);
          error += (out(b, y, x) - w) * (out(b, y, x) - w);
          size += w * w;
        }
      }
      // In single precision, pixel by pixel, as the stored ones: that itself moves them by 1e-5 of their size.
      float sum = 0;
      for (std::size_t p = 0; p < 65536; ++p) sum += out.row(b, 0)[p];
      const float mean = sum / 65536;
      float squares = 0;
      for (std::size_t p = 0; p < 65536; ++p) squares += (out.row(b, 0)[p] - mean) * (out.row(b, 0)[p] - mean);
      EXPECT_NEAR(mean, means.values[static_cast<std::size_t>(b)], 1e-4) << name;
      EXPECT_NEAR(std::sqrt(squares / 65536), deviations.values[static_cast<std::size_t>(b)], 1e-4) << name;
    }
    EXPECT_LT(std::sqrt(error / size), 1e-5) << name;
  }
}

ModelConfig small_config(int bands, int step) {
  ModelConfig config = network_config("mst-s");
  config.bands = bands;
  config.step = step;
  config.wavelengths.clear();
  return config;
}

struct Shot {
  Camera camera;
  Image measurement;
  Shot(const ModelConfig& config, int height, int width, std::uint64_t seed = 1)
      : camera(testing::random_image(height, width, seed), {.bands = config.bands, .step = config.step}),
        measurement(camera.forward(testing::random_cube(config.bands, height, width, seed + 1))) {}
};

Cube run(MstNetwork& network, const Shot& shot, int threads, Guides guides = Guides::kept) {
  network.prepare(shot.camera, threads, guides);
  Cube out(network.config().bands, shot.camera.height(), shot.camera.width());
  network.run(Frame(shot.measurement, shot.camera, network.config().scale), out);
  return out;
}

bool same(const Cube& a, const Cube& b) { return std::equal(a.values().begin(), a.values().end(), b.values().begin()); }

double relative_error(const Cube& found, const testing::Volume& wanted) {
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    const double difference = found.values()[i] - wanted.values[i];
    error += difference * difference;
    size += wanted.values[i] * wanted.values[i];
  }
  return std::sqrt(error / size);
}

struct Case {
  int bands;
  int step;
  int height;
  int width;
};

class MstSizes : public ::testing::TestWithParam<Case> {};

TEST_P(MstSizes, AreAsDescribed) {
  const Case& c = GetParam();
  const ModelConfig config = small_config(c.bands, c.step);
  const Weights weights = golden_weights(config);
  const Shot shot(config, c.height, c.width);
  const testing::Volume wanted = testing::MstReference(weights).run(shot.measurement, shot.camera);
  MstNetwork network(weights);
  EXPECT_LT(relative_error(run(network, shot, 2), wanted), 1e-5);
  EXPECT_LT(relative_error(run(network, shot, 2, Guides::anew), wanted), 1e-5);
}

// Steps whose detector is odd at some resolution, and one whose last channels reach the map's edge.
INSTANTIATE_TEST_SUITE_P(All, MstSizes,
                         ::testing::Values(Case{6, 2, 40, 52}, Case{4, 2, 13, 30}, Case{5, 1, 24, 20},
                                           Case{4, 3, 20, 33}, Case{6, 4, 16, 20}, Case{4, 0, 12, 12},
                                           Case{5, -2, 16, 24}, Case{4, -3, 9, 12}, Case{4, 2, 1, 5}, Case{1, 2, 9, 70},
                                           Case{7, 2, 4, 4}));

TEST(MstNetwork, EveryNumberOfThreadsGivesTheSameBytes) {
  const ModelConfig config = small_config(6, 2);
  const Shot shot(config, 90, 96);
  for (const Guides guides : {Guides::kept, Guides::anew}) {
    MstNetwork one(golden_weights(config));
    const Cube wanted = run(one, shot, 1, guides);
    for (const int threads : {2, 3, 5}) {
      MstNetwork network(golden_weights(config));
      EXPECT_TRUE(same(run(network, shot, threads, guides), wanted)) << threads;
    }
  }
}

TEST(MstNetwork, WhatIsKeptOfAMaskBelongsToThatMask) {
  const ModelConfig config = small_config(5, 2);
  const Shot a(config, 20, 24, 1);
  const Shot b(config, 20, 24, 5);
  const Camera turned(a.camera.mask(), {.bands = 5, .step = 2, .axis = Axis::rows});
  const Camera closer(a.camera.mask(), {.bands = 5, .offsets = {0, 2, 4, 6, 7}});
  const Image y = testing::random_image(turned.detector_height(), turned.detector_width(), 3);
  const Image z = testing::random_image(closer.detector_height(), closer.detector_width(), 4);
  MstNetwork network(golden_weights(config));
  const auto other = [&](MstNetwork& on, const Camera& camera, const Image& measurement) {
    on.prepare(camera, 2);
    Cube out(5, 20, 24);
    on.run(Frame(measurement, camera, config.scale), out);
    return out;
  };
  const auto fresh = [&](const auto& f) {
    MstNetwork own(golden_weights(config));
    return f(own);
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(same(run(network, a, 2), fresh([&](MstNetwork& n) { return run(n, a, 2); })));
    EXPECT_TRUE(same(run(network, b, 2), fresh([&](MstNetwork& n) { return run(n, b, 2); })));
    EXPECT_TRUE(same(other(network, turned, y), fresh([&](MstNetwork& n) { return other(n, turned, y); })));
    EXPECT_TRUE(same(other(network, closer, z), fresh([&](MstNetwork& n) { return other(n, closer, z); })));
    EXPECT_TRUE(same(run(network, a, 2, Guides::anew), run(network, a, 2)));
  }
  EXPECT_FALSE(same(run(network, a, 2), run(network, b, 2)));
}

TEST(MstMask, ShiftsAreThePublishedOnes) {
  const Camera camera(Image(256, 256, 1.0f));
  for (int stage = 0; stage < 3; ++stage) {
    const MaskPlace place = mask_place(camera, {256, 256}, stage);
    EXPECT_EQ(place.size.width, stage == 0 ? 310 : stage == 1 ? 155 : 77);
    ASSERT_EQ(place.shifts.size(), static_cast<std::size_t>(28 << stage));
    for (int c = 0; c < 28 << stage; ++c) {
      EXPECT_EQ(place.shifts[static_cast<std::size_t>(c)], c * 2 / (1 << 2 * stage)) << stage;
    }
  }
}

TEST(MstMask, BandsTheOtherWayRoundAreMirrored) {
  const Image mask(32, 32, 1.0f);
  for (const int step : {1, 2, 3, 4}) {
    for (int stage = 0; stage < 3; ++stage) {
      const MaskPlace there = mask_place(Camera(mask, {.bands = 6, .step = step}), {32, 32}, stage);
      MaskPlace back = mask_place(Camera(mask, {.bands = 6, .step = -step}), {32, 32}, stage);
      std::ranges::reverse(back.shifts);
      EXPECT_EQ(back.shifts, there.shifts) << step << ", stage " << stage;
    }
  }
}

TEST(MstMask, ShiftsStayOnTheMap) {
  const FrameSize size{16, 16};
  for (const std::vector<double>& offsets :
       std::vector<std::vector<double>>{{0, 4, 8, 12}, {12, 8, 4, 0}, {0, 0.5, 3.25, 9}, {0, 0, 0, 0}, {5, 0, 9, 1}}) {
    for (const Axis axis : {Axis::columns, Axis::rows}) {
      const Camera camera(Image(16, 16, 1.0f), {.bands = 4, .axis = axis, .offsets = offsets});
      for (int stage = 0; stage < 3; ++stage) {
        const MaskPlace place = mask_place(camera, size, stage);
        const int room = (axis == Axis::columns ? place.size.width : place.size.height) - (16 >> stage);
        for (const int shift : place.shifts) {
          EXPECT_GE(shift, 0);
          EXPECT_LE(shift, room);
        }
      }
    }
  }
}

TEST(MstMask, ShiftedMasksAreWhatTheCameraSees) {
  // The measurement of a cube that is 1 in one band and 0 in the others is that band's shifted mask.
  for (const Axis axis : {Axis::columns, Axis::rows}) {
    const Camera camera(testing::random_image(8, 12, 1), {.bands = 3, .axis = axis, .offsets = {0, 1.25, 4}});
    MapStorage masks(3, camera.detector_height(), camera.detector_width());
    Team team;
    team.prepare(2, 1 << 12, 0);
    fill_shifted_masks(camera, {8, 12}, masks.view(), team);
    for (int b = 0; b < 3; ++b) {
      Cube one(3, 8, 12);
      for (int y = 0; y < 8; ++y) std::fill_n(one.row(b, y), 12, 1.0f);
      const Image wanted = camera.forward(one);
      for (int y = 0; y < wanted.height(); ++y) {
        for (int x = 0; x < wanted.width(); ++x) {
          EXPECT_NEAR(masks.view().row(y)[static_cast<std::size_t>(b) * masks.view().pitch + x], wanted(y, x), 1e-6);
        }
      }
    }
  }
}

TEST(MstNetwork, MemoryIsWhatWasSaid) {
  for (const char* name : {"mst-s", "mst-l"}) {
    const Camera camera(testing::random_image(200, 256, 1));
    const Image y = testing::random_image(200, 310, 2);
    MstNetwork network(golden_weights(network_config(name)));
    for (const Guides guides : {Guides::anew, Guides::kept}) {
      network.prepare(camera, 2, guides);
      const std::size_t said = network.bytes_for(camera, guides);
      EXPECT_LE(network.planned_bytes(), said);
      EXPECT_GE(network.planned_bytes(), said / 2);
    }
    EXPECT_LT(network.bytes_for(camera, Guides::anew), network.bytes_for(camera, Guides::kept));
  }
}

TEST(MstMethod, OpensRunsAndRefuses) {
  const testing::LogCapture quiet;
  const testing::TemporaryFolder folder;
  const ModelConfig config = small_config(4, 1);
  const Shot shot(config, 60, 70);
  const std::string file = folder / "small.safetensors";
  write_weights(golden_weights(config), file);
  MstNetwork network(golden_weights(config));
  const Cube wanted = run(network, shot, 2);
  double last = 0;
  Reconstructor opened = Reconstructor::open_model(file);
  const Cube found = opened.reconstruct(shot.measurement, shot.camera, [&](const Progress& p) {
    EXPECT_GE(p.iteration, last);
    last = p.iteration;
    return true;
  });
  EXPECT_TRUE(same(found, wanted));
  EXPECT_EQ(last, 1000);
  EXPECT_TRUE(same(opened.reconstruct(shot.measurement, shot.camera), wanted));
  EXPECT_THROW(opened.reconstruct(shot.measurement, shot.camera, [](const Progress&) { return false; }), Interrupted);
  EXPECT_TRUE(same(opened.reconstruct(shot.measurement, shot.camera), wanted));

  // Too little for the guides, then for the network.
  const auto megabytes = [&](Guides guides) {
    return static_cast<double>(network.bytes_for(shot.camera, guides)) / 1e6;
  };
  const double between = (megabytes(Guides::kept) + megabytes(Guides::anew)) / 2;
  Reconstructor narrow = Reconstructor::open_model(file, {{"max_memory", std::to_string(between)}});
  EXPECT_TRUE(same(narrow.reconstruct(shot.measurement, shot.camera), wanted));
  Reconstructor none = Reconstructor::open_model(file, {{"max_memory", "9"}});
  const std::string refusal = testing::error_of<InputError>([&] { none.reconstruct(shot.measurement, shot.camera); });
  testing::expect_contains(refusal, std::to_string(static_cast<int>(std::ceil(megabytes(Guides::anew)))) + " MB");
  testing::expect_contains(refusal, "9 MB");
  testing::expect_contains(testing::error_of<InputError>([&] {
                             Reconstructor::open_model(file, {{"sparsity", "0.5"}});
                           }),
                           "sparsity");
}

TEST(ModelMethod, WhatTheEngineDoesNotRunSaysWhereItRuns) {
  const testing::TemporaryFolder folder;
  ModelConfig config = network_config("hdnet");
  const std::string file = folder / "h.safetensors";
  write_weights(golden_weights(config), file);
  EXPECT_EQ(testing::error_of<InputError>([&] { Reconstructor::open_model(file); }),
            file + ": HDNet runs only in snapcube-train");
}

}  // namespace
}  // namespace snapcube::engine
