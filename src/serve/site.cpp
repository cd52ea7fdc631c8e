#include "serve/site.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <random>

#include <snapcube/error.h>

#include "base/text.h"
#include "serve/layer.h"
#include "serve/page.h"

namespace snapcube {

namespace {

using Json = nlohmann::ordered_json;

Answer json(const Json& value, int status = 200) {
  return {status, "application/json", value.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

Answer problem(int status, const std::string& sentence) { return json({{"error", sentence}}, status); }

/// The time it takes tells nothing about where two texts differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

void allow_only(const Target& target, std::initializer_list<std::string_view> keys) {
  for (const auto& [key, value] : target.parameters) {
    if (std::ranges::find(keys, key) == keys.end()) {
      throw InputError(target.name, "", fmt::format("parameters {}", fmt::join(keys, ", ")), fmt::format("'{}'", key));
    }
  }
}

const std::string& text(const Target& target, std::string_view key) {
  const auto found = target.parameters.find(key);
  if (found == target.parameters.end()) throw InputError(target.name, std::string(key), "a value", "none");
  return found->second;
}

double number(const Target& target, std::string_view key) {
  const auto value = parse_double(text(target, key));
  if (!value || !std::isfinite(*value)) {
    throw InputError(target.name, std::string(key), "a number", fmt::format("'{}'", text(target, key)));
  }
  return *value;
}

int whole(const Target& target, std::string_view key, int least, int most) {
  const auto value = parse_int(text(target, key));
  if (!value || *value < least || *value > most) {
    throw InputError(target.name, std::string(key), fmt::format("{} … {}", least, most),
                     fmt::format("'{}'", text(target, key)));
  }
  return static_cast<int>(*value);
}

int whole(const Target& target, std::string_view key, int least, int most, int otherwise) {
  return target.parameters.contains(key) ? whole(target, key, least, most) : otherwise;
}

/// The layer that is asked for, of the version that is asked for.
Layer layer_of(const Target& target, Gallery& gallery) {
  const auto version = target.parameters.find("version");
  return Layer(text(target, "layer"), version == target.parameters.end() ? "" : version->second, gallery);
}

Json rectangle(const Region& r) { return {r.top, r.left, r.height, r.width}; }

Json source_json(const Source& source, int id) {
  const Cube& cube = *source.cube;
  Json wavelengths;
  if (static_cast<int>(cube.wavelengths.size()) == cube.bands()) wavelengths = cube.wavelengths;
  return {{"id", id},
          {"name", source.name},
          {"role", to_string(source.role)},
          {"bands", cube.bands()},
          {"height", cube.height()},
          {"width", cube.width()},
          {"wavelengths", wavelengths},
          {"minimum", source.minimum},
          {"maximum", source.maximum},
          {"unit", source.unit},
          {"version", source.version}};
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments(const Cube& cube, int band, const Region& region) {
  const double count = static_cast<double>(region.height) * region.width;
  double sum = 0;
  for (int y = region.top; y < region.top + region.height; ++y) {
    const float* row = cube.row(band, y) + region.left;
    for (int x = 0; x < region.width; ++x) sum += row[x];
  }
  const double mean = sum / count;
  double squares = 0;
  for (int y = region.top; y < region.top + region.height; ++y) {
    const float* row = cube.row(band, y) + region.left;
    for (int x = 0; x < region.width; ++x) squares += (row[x] - mean) * (row[x] - mean);
  }
  return {mean, std::sqrt(squares / count)};
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::string random_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
  return token;
}

Answer Site::answer(std::string_view method, std::string_view target) {
  const std::optional<Target> parsed = parse_target(target);
  if (!parsed || !equal_in_constant_time(parsed->token, token_)) {
    return problem(403, "the address lacks its key: use the one that `snapcube view` printed");
  }
  try {
    return route(method, *parsed);
  } catch (const Outdated&) {
    return {204, "application/json", ""};  // no error: browsers would write it into the page's log
  } catch (const InputError& error) {
    return problem(400, error.what());
  } catch (const Interrupted&) {
    return problem(503, "the viewer is ending");
  } catch (const std::bad_alloc&) {
    return problem(500, "not enough memory");
  } catch (const std::exception& error) {
    return problem(500, error.what());
  }
}

Answer Site::route(std::string_view method, const Target& target) {
  if (method == "POST") {
    return target.name == "reconstruct" ? reconstruct(target) : problem(405, "only 'reconstruct' takes POST");
  }
  if (method != "GET") return problem(405, "GET, or POST for 'reconstruct'");
  if (target.name == "reconstruct") return problem(405, "'reconstruct' takes POST");
  if (target.name == "about.json") return about();
  if (target.name == "news") return news(target);
  if (target.name == "tile") return tile(target);
  if (target.name == "range") return range(target);
  if (target.name == "spectrum") return spectrum(target);
  if (target.name == "scores") return scores(target);
  const std::string_view wanted = target.name.empty() ? std::string_view("index.html") : target.name;
  for (const PageFile& file : page_files()) {
    if (file.name == wanted) return {200, std::string(file.type), std::string(file.content)};
  }
  return problem(404, fmt::format("no '{}' here", target.name));
}

Answer Site::about() const {
  // Counted first: what is shown meanwhile is then news once more.
  Json root = {{"tile", kTile}, {"news", gallery_.news()}, {"sources", Json::array()}};
  for (int id = 0; id < gallery_.size(); ++id) root["sources"].push_back(source_json(*gallery_.source(id), id));
  const int truth = gallery_.find(Role::truth);
  root["truth"] = truth < 0 ? Json() : Json(truth);
  root["model"] = Json();
  if (const auto model = gallery_.model()) {
    Json kept = Json::array();
    for (const Region& r : model->kept) kept.push_back(rectangle(r));
    root["model"] = {{"name", model->name},
                     {"source", model->source},
                     {"screening", model->screening < 0 ? Json() : Json(model->screening)},
                     {"sigma", model->sigma ? Json(*model->sigma) : Json()},
                     {"seconds", model->seconds},
                     {"kept", kept}};
  }
  root["live"] = Json();
  if (const auto live = gallery_.live()) {
    root["live"] = {{"frame", live->frame},
                    {"cubes", live->cubes},
                    {"per_second", live->per_second},
                    {"latency", live->latency},
                    {"waiting", live->waiting},
                    {"dropped", live->dropped},
                    {"passed_over", live->passed_over}};
  }
  return json(root);
}

Answer Site::news(const Target& target) {
  allow_only(target, {"after"});
  const auto after = parse_int(text(target, "after"));
  if (!after || *after < 0) throw InputError("news", "after", "a number from 0 on", text(target, "after"));
  if (!gallery_.live()) throw InputError("news", "", "frames that come", "cubes that stay as they are");
  // Those who wait hold a thread of the server each: too many of them are answered at once.
  constexpr int kMostWaiting = 6;
  constexpr std::chrono::seconds kWait{20};
  if (++waiting_ <= kMostWaiting) {
    gallery_.wait_for_news(static_cast<std::uint64_t>(*after), kWait, [this] { return !stopping_.load(); });
  }
  --waiting_;
  if (stopping_) throw Interrupted();
  return about();
}

Answer Site::tile(const Target& target) {
  allow_only(target, {"layer", "level", "x", "y", "version"});
  const TileAddress address{whole(target, "level", 0, 30), whole(target, "x", 0, 1 << 24),
                            whole(target, "y", 0, 1 << 24)};
  return {200, "application/octet-stream", layer_of(target, gallery_).tile(address)};
}

Answer Site::range(const Target& target) {
  allow_only(target, {"layer", "low", "high", "version"});
  const Layer::Range r = layer_of(target, gallery_).range(number(target, "low"), number(target, "high"));
  return json({{"low", r.low}, {"high", r.high}, {"minimum", r.minimum}, {"maximum", r.maximum}});
}

Answer Site::spectrum(const Target& target) {
  allow_only(target, {"source", "x", "y", "width", "height", "version"});
  const int id = whole(target, "source", 0, gallery_.size() - 1);
  const int version = whole(target, "version", 0, std::numeric_limits<int>::max(), -1);
  const Source source = *(version < 0 ? gallery_.source(id) : gallery_.source(id, version));
  const Cube& cube = *source.cube;
  Region region;
  region.left = whole(target, "x", 0, cube.width() - 1);
  region.top = whole(target, "y", 0, cube.height() - 1);
  region.width = whole(target, "width", 1, cube.width() - region.left, 1);
  region.height = whole(target, "height", 1, cube.height() - region.top, 1);
  Json mean = Json::array();
  Json deviation = Json::array();
  for (int band = 0; band < cube.bands(); ++band) {
    if (stopping_) throw Interrupted();
    const Moments m = moments(cube, band, region);
    mean.push_back(m.mean);
    deviation.push_back(m.deviation);
  }
  return json({{"pixels", static_cast<std::int64_t>(region.width) * region.height},
               {"mean", std::move(mean)},
               {"deviation", std::move(deviation)}});
}

Answer Site::scores(const Target& target) {
  allow_only(target, {"source", "truth", "version"});
  const int id = whole(target, "source", 0, gallery_.size() - 1);
  const int truth = whole(target, "truth", 0, gallery_.size() - 1);
  const Source a = *gallery_.source(id);
  const Source b = *gallery_.source(truth);
  if (!same_shape(*a.cube, *b.cube)) throw InputError("scores", "", "two sources of one shape", "different ones");
  const BandScores s = gallery_.scores(a, b, id, truth, [this] { return !stopping_.load(); });
  return json({{"protocol", "toolbox"},
               {"psnr", s.psnr},
               {"ssim", s.ssim},
               {"mean", {{"psnr", mean_of(s.psnr)}, {"ssim", mean_of(s.ssim)}}}});
}

Answer Site::reconstruct(const Target& target) {
  allow_only(target, {"sigma"});
  gallery_.reconstruct_again(number(target, "sigma"));
  return about();
}

}  // namespace snapcube
