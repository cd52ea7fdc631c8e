// What the viewer's server answers.

#include "serve/site.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include <snapcube/error.h>
#include <snapcube/metrics.h>
#include <snapcube/render.h>
#include <snapcube/scene.h>

#include "io/half.h"
#include "render/colour.h"
#include "support.h"

namespace snapcube {
namespace {

using nlohmann::json;

Cube noisy(const Cube& cube, std::uint64_t seed) {
  Cube result = cube;
  Random random(seed);
  for (float& v : result.values()) v += static_cast<float>(0.05 * random.normal());
  return result;
}

class SiteTest : public ::testing::Test {
 protected:
  SiteTest() {
    gallery.add("first", Role::cube, noisy(scene, 3));
    gallery.add("truth", Role::truth, scene);
    gallery.add("shot", Role::measurement, testing::random_image(40, 90, 4));
    Cube plain = testing::random_cube(5, 7, 11, 5);
    gallery.add("no \"wavelengths\"", Role::cube, plain);
  }

  Answer get(const std::string& what) { return site.answer("GET", "/key/" + what); }
  json get_json(const std::string& what, int status = 200) {
    const Answer answer = get(what);
    EXPECT_EQ(answer.status, status) << what << ": " << answer.body;
    EXPECT_EQ(answer.type, "application/json");
    return json::parse(answer.body);
  }
  std::vector<float> tile(const std::string& what) {
    const Answer answer = get("tile?" + what);
    EXPECT_EQ(answer.status, 200) << what << ": " << answer.body;
    std::vector<float> result;
    for (std::size_t i = 0; i + 1 < answer.body.size(); i += 2) {
      std::uint16_t half = 0;
      std::memcpy(&half, answer.body.data() + i, 2);
      result.push_back(float_from_half(half));
    }
    return result;
  }
  const Cube& cube(int id) { return *gallery.source(id)->cube; }

  Cube scene = make_scene("chart", {.height = 40, .width = 36});
  Gallery gallery;
  Site site{gallery, "key"};
};

TEST_F(SiteTest, WithoutTheKeyNothingIsTold) {
  const Answer refused = site.answer("GET", "/wrong/about.json");
  EXPECT_EQ(refused.status, 403);
  for (const char* target : {"/", "", "/about.json", "/ke/about.json", "/keyy/about.json", "/KEY/about.json",
                             "//about.json", "/key", "/wrong/nothing", "/favicon.ico", "/key/../key/about.json"}) {
    const Answer answer = site.answer("GET", target);
    EXPECT_EQ(answer.status, 403) << target;
    EXPECT_EQ(answer.body, refused.body) << "the same words for all";
  }
  EXPECT_EQ(site.answer("POST", "/wrong/reconstruct").status, 403);
}

TEST_F(SiteTest, KeysAreLongAndNotRepeated) {
  std::set<std::string> keys;
  for (int i = 0; i < 50; ++i) keys.insert(random_token());
  EXPECT_EQ(keys.size(), 50u);
  EXPECT_EQ(keys.begin()->size(), 32u);
}

TEST_F(SiteTest, ServesItsPage) {
  const Answer page = get("");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  testing::expect_contains(page.body, "<title>Snapcube");
  EXPECT_EQ(get("index.html").body, page.body);
  EXPECT_EQ(get("nothing.js").status, 404);
}

TEST_F(SiteTest, TellsWhatThereIs) {
  const json about = get_json("about.json");
  EXPECT_EQ(about["tile"], 256);
  EXPECT_EQ(about["truth"], 1);
  EXPECT_TRUE(about["model"].is_null());
  ASSERT_EQ(about["sources"].size(), 4u);
  const json& first = about["sources"][0];
  EXPECT_EQ(first["name"], "first");
  EXPECT_EQ(first["role"], "cube");
  EXPECT_EQ(first["bands"], 28);
  EXPECT_EQ(first["height"], 40);
  EXPECT_EQ(first["width"], 36);
  EXPECT_EQ(first["wavelengths"].size(), 28u);
  EXPECT_EQ(first["wavelengths"][0], 453.5);
  EXPECT_EQ(about["sources"][2]["bands"], 1);
  EXPECT_TRUE(about["sources"][3]["wavelengths"].is_null());
  EXPECT_EQ(about["sources"][3]["name"], "no \"wavelengths\"");
}

TEST_F(SiteTest, BandsComeAsTiles) {
  const std::vector<float> values = tile("layer=band-0-12&level=0&x=0&y=0");
  const double unit = get_json("about.json")["sources"][0]["unit"];
  ASSERT_EQ(values.size(), 40u * 36u);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i] / unit, cube(0).band(12)[i], 1e-3);
}

TEST_F(SiteTest, ColoursAreThoseOfTheRenderer) {
  const std::vector<float> values = tile("layer=rgb-1&level=0&x=0&y=0");
  const double unit = get_json("about.json")["sources"][1]["unit"];
  const Picture picture = render_srgb(scene);
  ASSERT_EQ(values.size(), picture.rgb.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(encode_srgb_byte(values[i] / unit), picture.rgb[i], 1) << i;
  }
}

TEST_F(SiteTest, ErrorsAreAbsoluteDifferences) {
  const double unit = get_json("about.json")["sources"][0]["unit"];
  const std::vector<float> band = tile("layer=error-0-1-3&level=0&x=0&y=0");
  const std::vector<float> mean = tile("layer=error-0-1-mean&level=0&x=0&y=0");
  for (std::size_t i = 0; i < band.size(); ++i) {
    EXPECT_NEAR(band[i] / unit, std::abs(cube(0).band(3)[i] - scene.band(3)[i]), 2e-4);
    double sum = 0;
    for (int b = 0; b < 28; ++b) sum += std::abs(cube(0).band(b)[i] - scene.band(b)[i]);
    EXPECT_NEAR(mean[i] / unit, sum / 28, 2e-4);
  }
}

TEST_F(SiteTest, RangesArePercentiles) {
  // Octave: sort(v)(round(p/100*(n-1)) + 1)
  std::vector<float> sorted(scene.band(5), scene.band(5) + scene.band_size());
  std::ranges::sort(sorted);
  const json range = get_json("range?layer=band-1-5&low=2&high=98");
  EXPECT_EQ(range["low"], sorted[std::lround(0.02 * 1439)]);
  EXPECT_EQ(range["high"], sorted[std::lround(0.98 * 1439)]);
  EXPECT_EQ(range["minimum"], sorted.front());
  EXPECT_EQ(range["maximum"], sorted.back());
}

TEST_F(SiteTest, SpectraOfPixelsAndRegions) {
  const json pixel = get_json("spectrum?source=0&x=35&y=39");
  EXPECT_EQ(pixel["pixels"], 1);
  for (int b = 0; b < 28; ++b) {
    EXPECT_EQ(pixel["mean"][b].get<double>(), cube(0)(b, 39, 35));
    EXPECT_EQ(pixel["deviation"][b], 0);
  }
  const json region = get_json("spectrum?source=0&x=3&y=5&width=4&height=2");
  EXPECT_EQ(region["pixels"], 8);
  for (int b = 0; b < 28; ++b) {
    double sum = 0, squares = 0;
    for (int y = 5; y < 7; ++y) {
      for (int x = 3; x < 7; ++x) {
        sum += cube(0)(b, y, x);
        squares += static_cast<double>(cube(0)(b, y, x)) * cube(0)(b, y, x);
      }
    }
    EXPECT_NEAR(region["mean"][b].get<double>(), sum / 8, 1e-12);
    EXPECT_NEAR(region["deviation"][b].get<double>(), std::sqrt(squares / 8 - sum * sum / 64), 1e-6);
  }
}

TEST_F(SiteTest, ScoresAreThoseOfEvaluate) {
  const json scores = get_json("scores?source=0&truth=1");
  const std::vector<double> expected = psnr_per_band(cube(0), scene);
  const std::vector<double> similar = ssim_per_band(cube(0), scene);
  for (int b = 0; b < 28; ++b) {
    EXPECT_NEAR(scores["psnr"][b].get<double>(), expected[b], 1e-12);
    EXPECT_NEAR(scores["ssim"][b].get<double>(), similar[b], 1e-12);
  }
  EXPECT_NEAR(scores["mean"]["psnr"].get<double>(), psnr(cube(0), scene), 1e-9);
  EXPECT_EQ(scores["protocol"], "toolbox");
}

TEST_F(SiteTest, WrongQuestionsGetSentences) {
  const std::pair<const char*, const char*> questions[] = {
      {"tile", "level: expected a value"},
      {"tile?layer=band-0-0&level=0&x=0", "y: expected a value"},
      {"tile?layer=band-0-28&level=0&x=0&y=0", "band: expected 0 … 27"},
      {"tile?layer=band-4-0&level=0&x=0&y=0", "source: expected 0 … 3"},
      {"tile?layer=band--1-0&level=0&x=0&y=0", "expected band-S-B"},
      {"tile?layer=band-0&level=0&x=0&y=0", "expected band-S-B"},
      {"tile?layer=rgb-3&level=0&x=0&y=0", "wavelengths"},
      {"tile?layer=rgb-2&level=0&x=0&y=0", "wavelengths"},
      {"tile?layer=error-0-3-1&level=0&x=0&y=0", "two sources of one shape"},
      {"tile?layer=error-0-1-all&level=0&x=0&y=0", "band: expected"},
      {"tile?layer=band-0-0&level=1&x=0&y=0", "one of 1 levels"},
      {"tile?layer=band-0-0&level=99999999999999999999&x=0&y=0", "level"},
      {"tile?layer=band-0-0&level=0&x=1&y=0", "address"},
      {"tile?layer=band-0-0&level=0&x=0&y=0&file=passwd", "'file'"},
      {"range?layer=band-0-0&low=50&high=50", "low < high"},
      {"range?layer=band-0-0&low=nan&high=50", "low: expected a number"},
      {"range?layer=band-0-0&low=-1&high=50", "0 ≤ low"},
      {"spectrum?source=0&x=36&y=0", "x: expected 0 … 35"},
      {"spectrum?source=0&x=35&y=0&width=2&height=1", "width: expected 1 … 1"},
      {"spectrum?source=9&x=0&y=0", "source"},
      {"scores?source=0&truth=3", "one shape"},
  };
  for (const auto& [question, sentence] : questions) {
    testing::expect_contains(get_json(question, 400)["error"], sentence);
  }
  EXPECT_EQ(get("reconstruct?sigma=0.5").status, 405);
  EXPECT_EQ(site.answer("POST", "/key/about.json").status, 405);
  EXPECT_EQ(site.answer("DELETE", "/key/about.json").status, 405);
  EXPECT_EQ(site.answer("POST", "/key/reconstruct?sigma=0.5").status, 400) << "no model";
}

TEST_F(SiteTest, ModelsRunAgainAtAnotherSigma) {
  std::vector<double> asked;
  const auto method = [&](std::optional<double> sigma) {
    asked.push_back(*sigma);
    SparsityMap screening{Image(40, 36, static_cast<float>(*sigma)), {{0, 16, 16, 16}}};
    return Reconstruction{Cube(28, 40, 36, static_cast<float>(*sigma)), 0.25, std::move(screening)};
  };
  const int id = gallery.add_model("cst", method, 0.5);
  json model = get_json("about.json")["model"];
  EXPECT_EQ(model["source"], id);
  EXPECT_EQ(model["sigma"], 0.5);
  EXPECT_EQ(model["seconds"], 0.25);
  EXPECT_EQ(model["kept"], json::parse("[[0,16,16,16]]"));
  EXPECT_EQ(get_json("about.json")["sources"][model["screening"].get<int>()]["role"], "screening");

  const std::string path = "scores?source=" + std::to_string(id) + "&truth=1";
  const double before = get_json(path)["mean"]["psnr"];
  const Answer again = site.answer("POST", "/key/reconstruct?sigma=0.25");
  ASSERT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(asked, (std::vector<double>{0.5, 0.25}));
  const json now = json::parse(again.body);
  EXPECT_EQ(now["model"]["sigma"], 0.25);
  EXPECT_EQ(now["sources"][id]["version"], 1);
  EXPECT_EQ(now["sources"][id]["maximum"], 0.25);
  EXPECT_NE(get_json(path)["mean"]["psnr"].get<double>(), before) << "not the scores of the old cube";
  for (const char* sigma : {"1", "-0.1", "nan", "x", ""}) {
    EXPECT_EQ(site.answer("POST", std::string("/key/reconstruct?sigma=") + sigma).status, 400) << sigma;
  }
}

TEST_F(SiteTest, MethodsWithoutScreeningHaveNoSigma) {
  gallery.add_model(
      "gap-tv",
      [](std::optional<double>) {
        return Reconstruction{Cube(1, 2, 3), 0.5};
      },
      0.5);
  const json model = get_json("about.json")["model"];
  EXPECT_TRUE(model["sigma"].is_null());
  EXPECT_TRUE(model["screening"].is_null());
  EXPECT_EQ(site.answer("POST", "/key/reconstruct?sigma=0.5").status, 400);
}

TEST_F(SiteTest, WhatANetworkExpectsOfItselfIsASource) {
  const auto method = [](std::optional<double>) {
    return Reconstruction{.cube = Cube(3, 4, 5), .seconds = 0.5, .expected_error = Image(4, 5, 0.125f)};
  };
  const int id = gallery.add_model("prism-s", method, std::nullopt);
  const json source = get_json("about.json")["sources"][id + 1];
  EXPECT_EQ(source["name"], "expected error of prism-s");
  EXPECT_EQ(source["role"], "expected");
  EXPECT_EQ(source["bands"], 1);
  EXPECT_EQ(source["maximum"], 0.125);
  EXPECT_EQ(get("tile?layer=band-" + std::to_string(id + 1) + "-0&level=0&x=0&y=0").status, 200);
}

TEST_F(SiteTest, FailuresOfAModelAreToldAndNotFatal) {
  bool fail = false;
  const auto method = [&](std::optional<double>) -> Reconstruction {
    if (fail) throw Error("the model broke");
    return {Cube(1, 2, 3), 0, SparsityMap{Image(2, 3), {}}};
  };
  gallery.add_model("odd", method, 0.5);
  fail = true;
  const Answer answer = site.answer("POST", "/key/reconstruct?sigma=0.5");
  EXPECT_EQ(answer.status, 500);
  testing::expect_contains(answer.body, "the model broke");
  EXPECT_EQ(get("about.json").status, 200);
}

TEST_F(SiteTest, EndsLongWork) {
  site.stop();
  EXPECT_EQ(get("scores?source=0&truth=1").status, 503);
}

TEST(Gallery, UnitsBringValuesBelowOne) {
  Gallery gallery;
  const auto unit_of = [&](float value) {
    return gallery.source(gallery.add("x", Role::cube, Cube(1, 1, 1, value)))->unit;
  };
  EXPECT_EQ(unit_of(1.0f), 0.5f) << "1 itself becomes 0.5";
  EXPECT_EQ(unit_of(0.75f), 1.0f);
  EXPECT_EQ(unit_of(-3.0f), 0.25f);
  EXPECT_EQ(unit_of(60000.0f), 1.0f / 65536);
  EXPECT_EQ(unit_of(0.0f), 1.0f);
}

TEST(Gallery, RefusesEmptyCubes) {
  Gallery gallery;
  EXPECT_THROW(gallery.add("x", Role::cube, Cube()), InputError);
}

// Frames that come.

Cube constant(float value) {
  Cube cube(3, 4, 5);
  std::ranges::fill(cube.values(), value);
  return cube;
}

class LiveSiteTest : public SiteTest {
 protected:
  LiveSiteTest() {
    live.go_live();
    show(1, "one.tif");
  }
  void show(float value, const std::string& name) {
    std::vector<Gallery::Fresh> fresh;
    fresh.push_back({"cst-s", Role::reconstruction, constant(value)});
    fresh.push_back({"measurement", Role::measurement, Cube(1, 4, 7)});
    live.show(std::move(fresh), {.frame = name, .cubes = 5, .waiting = 2});
  }
  Answer ask(const std::string& what) { return live_site.answer("GET", "/key/" + what); }
  double mean(const std::string& version) {
    const Answer answer = ask("spectrum?source=0&x=1&y=1" + version);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body)["mean"][2];
  }
  Gallery live;
  Site live_site{live, "key"};
};

TEST_F(LiveSiteTest, TheNewestTakesThePlaceOfTheOneBefore) {
  const json first = json::parse(ask("about.json").body);
  EXPECT_EQ(first["news"], 1);
  EXPECT_EQ(first["live"]["frame"], "one.tif");
  ASSERT_EQ(first["sources"].size(), 2u);
  show(3, "two.tif");
  const json second = json::parse(ask("news?after=1").body);
  EXPECT_EQ(second["news"], 2);
  EXPECT_EQ(second["live"]["frame"], "two.tif");
  EXPECT_EQ(second["live"]["waiting"], 2);
  ASSERT_EQ(second["sources"].size(), 2u);
  EXPECT_EQ(second["sources"][0]["version"], 1);
  EXPECT_EQ(second["sources"][0]["role"], "reconstruction");
  EXPECT_EQ(mean(""), 3);
}

TEST_F(LiveSiteTest, ValuesAreOfTheVersionThatIsAskedFor) {
  show(3, "two.tif");
  EXPECT_EQ(mean("&version=0"), 1) << "the one before is still there";
  EXPECT_EQ(mean("&version=1"), 3);
  EXPECT_EQ(ask("tile?layer=band-0-1&level=0&x=0&y=0&version=0").status, 200);
  EXPECT_NE(ask("tile?layer=band-0-1&level=0&x=0&y=0&version=0").body,
            ask("tile?layer=band-0-1&level=0&x=0&y=0&version=1").body);
  show(5, "three.tif");
  for (const char* what :
       {"spectrum?source=0&x=1&y=1&version=0", "tile?layer=band-0-1&level=0&x=0&y=0&version=0",
        "range?layer=rgb-1&low=1&high=99&version=7", "tile?layer=error-0-0-1&level=0&x=0&y=0&version=2-0"}) {
    EXPECT_EQ(ask(what).status, 204) << what;
  }
  for (const char* version : {"x", "-1", "1-2-3", "1.5", "99999999999"}) {
    EXPECT_EQ(ask("tile?layer=band-0-1&level=0&x=0&y=0&version=" + std::string(version)).status, 400) << version;
  }
}

TEST_F(LiveSiteTest, WaitsForNews) {
  std::thread later([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    show(3, "two.tif");
  });
  EXPECT_EQ(json::parse(ask("news?after=1").body)["live"]["frame"], "two.tif");
  later.join();
  // The end of the viewer is news too.
  std::thread end([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    live_site.stop();
  });
  EXPECT_EQ(ask("news?after=2").status, 503);
  end.join();
}

TEST_F(LiveSiteTest, OnlyWhereFramesCome) {
  EXPECT_EQ(get("news?after=0").status, 400);
  EXPECT_EQ(ask("news").status, 400);
  EXPECT_EQ(ask("news?after=-1").status, 400);
  EXPECT_EQ(ask("news?after=0&x=1").status, 400);
  EXPECT_EQ(get_json("about.json")["live"], json());
}

}  // namespace
}  // namespace snapcube
