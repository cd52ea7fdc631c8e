#include "report/scene_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "render/appearance.h"
#include "render/colour_map.h"
#include "report/score_table.h"
#include "report/svg.h"

namespace snapcube {

namespace {

/// Methods' colours in the plots: apart for most eyes.
constexpr std::array kColours = {"#1c7ed6", "#e8590c", "#2f9e44", "#ae3ec9",
                                 "#e6a700", "#0ca8a0", "#e64980", "#7a5c3e"};
constexpr const char* kDetailColour = "#ffd43b";
constexpr const char* kRegionColour = "#ffffff";

Image band_image(const Cube& cube, int band) {
  Image image(cube.height(), cube.width());
  std::copy_n(cube.band(band), cube.band_size(), image.data());
  return image;
}

Picture crop_picture(const Picture& picture, const Region& region) {
  Picture result(region.height, region.width);
  for (int y = 0; y < region.height; ++y) {
    const auto* from =
        picture.rgb.data() + 3 * (static_cast<std::size_t>(region.top + y) * picture.width + region.left);
    std::copy_n(from, std::size_t{3} * region.width, result.rgb.data() + std::size_t{3} * y * region.width);
  }
  return result;
}

Picture error_picture(const Image& error, double most) {
  Picture picture(error.height(), error.width());
  std::uint8_t* out = picture.rgb.data();
  for (const float v : error.values()) {
    for (const double c : error_colour(v / most)) *out++ = static_cast<std::uint8_t>(std::lround(255 * c));
  }
  return picture;
}

std::vector<double> mean_spectrum(const Cube& cube, const Region& region) {
  std::vector<double> result;
  for (int b = 0; b < cube.bands(); ++b) {
    double sum = 0;
    for (int y = region.top; y < region.top + region.height; ++y) {
      for (int x = region.left; x < region.left + region.width; ++x) sum += cube(b, y, x);
    }
    result.push_back(sum / (static_cast<double>(region.height) * region.width));
  }
  return result;
}

std::string figure(const std::string& content, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", content, caption);
}

std::string band_name(const Cube& truth, int band) {
  return has_colours(truth) ? fmt::format("{:.1f} nm", truth.wavelengths[static_cast<std::size_t>(band)])
                            : fmt::format("band {}", band + 1);
}

/// The rows of pictures: the truth, then every method.
class Grid {
 public:
  explicit Grid(const SceneContent& scene) : scene_(scene), colour_(colours_of(scene.truth)) {
    exposure_ = automatic_exposure(colour_);
  }

  double exposure() const { return exposure_; }

  std::string html() const {
    std::string text = fmt::format("<div class=\"grid\" style=\"--columns:{}\">\n", scene_.results.size() + 1);
    text += "<div></div><div class=\"head\">Truth</div>";
    for (const SceneResult& r : scene_.results) {
      text +=
          fmt::format("<div class=\"head\">{}<small>{:.2f} dB / {}</small></div>", html_text(r.method), r.scores.psnr,
                      std::isnan(r.scores.ssim) ? std::string("–") : fmt::format("{:.3f}", r.scores.ssim));
    }
    text += '\n';
    text += colours();
    text += details();
    for (const int band : scene_.bands) text += band_row(band);
    return text + errors() + sparsity() + "</div>\n";
  }

 private:
  template <typename Make>
  std::string row(const std::string& name, Make&& picture_of) const {
    std::string text = fmt::format("<div class=\"side\">{}</div>", name);
    text += picture_of(scene_.truth, "truth");
    for (const SceneResult& r : scene_.results) text += picture_of(r.cube, r.method);
    return text + "\n";
  }

  Picture picture_of(const Cube& cube) const {
    Cube coloured = cube;
    coloured.wavelengths = scene_.truth.wavelengths;
    return encode(colours_of(coloured), exposure_);
  }

  std::string colours() const {
    std::vector<Mark> marks;
    for (std::size_t i = 0; i < scene_.regions.size(); ++i) {
      marks.push_back({scene_.regions[i], kRegionColour, std::string(1, static_cast<char>('a' + i % 26))});
    }
    marks.push_back({scene_.detail, kDetailColour, ""});
    return row(has_colours(scene_.truth) ? "sRGB" : "mean of bands", [&](const Cube& cube, const std::string& who) {
      return picture_svg(picture_of(cube), marks, fmt::format("{}, {}, colours", scene_.name, who));
    });
  }

  std::string details() const {
    return row("detail", [&](const Cube& cube, const std::string& who) {
      return picture_svg(crop_picture(picture_of(cube), scene_.detail), {},
                         fmt::format("{}, {}, detail", scene_.name, who));
    });
  }

  std::string band_row(int band) const {
    const double bright = percentile(band_image(scene_.truth, band), 0.995);
    const double exposure = bright > 1e-6 ? 1 / bright : 1;
    const Triple tint = has_colours(scene_.truth)
                            ? wavelength_tint(scene_.truth.wavelengths[static_cast<std::size_t>(band)])
                            : Triple{1, 1, 1};
    return row(band_name(scene_.truth, band), [&](const Cube& cube, const std::string& who) {
      return picture_svg(tinted(band_image(cube, band), exposure, tint), {},
                         fmt::format("{}, {}, {}", scene_.name, who, band_name(scene_.truth, band)));
    });
  }

  std::string errors() const {
    std::vector<Image> maps;
    double most = 0;
    for (const SceneResult& r : scene_.results) {
      maps.push_back(mean_absolute_error(r.cube, scene_.truth));
      most = std::max(most, percentile(maps.back(), 0.99));
    }
    most = round_up(most);
    std::string text =
        fmt::format("<div class=\"side\">error</div><div class=\"legend\">mean over bands of |error|{}</div>",
                    error_scale_svg(most));
    for (std::size_t i = 0; i < maps.size(); ++i) {
      text += picture_svg(error_picture(maps[i], most), {},
                          fmt::format("{}, {}, error", scene_.name, scene_.results[i].method));
    }
    return text + "\n";
  }

  std::string sparsity() const {
    if (std::ranges::all_of(scene_.results, [](const SceneResult& r) { return r.sparsity_png.empty(); })) return {};
    std::string text = "<div class=\"side\">sparsity</div><div class=\"legend\">where the network looked closer</div>";
    for (const SceneResult& r : scene_.results) {
      text += r.sparsity_png.empty()
                  ? "<div></div>"
                  : fmt::format("<img class=\"picture\" alt=\"{}, {}, sparsity map\" src=\"{}\">",
                                html_text(scene_.name), html_text(r.method), png_uri(r.sparsity_png));
    }
    return text + "\n";
  }

  const SceneContent& scene_;
  LinearColour colour_;
  double exposure_ = 1;
};

std::string plots(const SceneContent& scene) {
  std::vector<double> x = scene.truth.wavelengths;
  if (!has_colours(scene.truth)) {
    x.clear();
    for (int b = 0; b < scene.truth.bands(); ++b) x.push_back(b + 1);
  }
  std::string text;
  for (std::size_t i = 0; i < scene.regions.size(); ++i) {
    const Region& region = scene.regions[i];
    std::vector<SpectralCurve> curves = {{"truth", "#111", false, mean_spectrum(scene.truth, region), 0}};
    for (const SceneResult& r : scene.results) {
      curves.push_back({r.method, kColours[r.number % kColours.size()], true, mean_spectrum(r.cube, region),
                        spectral_correlation(r.cube, scene.truth, region)});
    }
    text += spectrum_svg(fmt::format("Region {}: {}×{} pixels at ({}, {})", static_cast<char>('a' + i % 26),
                                     region.height, region.width, region.left, region.top),
                         x, has_colours(scene.truth) ? "wavelength in nm" : "band", curves);
  }
  return text;
}

Picture grey_picture(const Image& image) {
  const double bright = percentile(image, 0.995);
  return tinted(image, bright > 1e-6 ? 1 / bright : 1, {1, 1, 1});
}

}  // namespace

std::vector<int> spread_bands(int bands, int count) {
  std::vector<int> result;
  for (int i = 0; i < count; ++i) {
    const int band = std::min(static_cast<int>((2 * i + 1) * bands / (2.0 * count)), bands - 1);
    if (result.empty() || result.back() != band) result.push_back(band);
  }
  return result;
}

std::string scene_section(const SceneContent& scene) {
  const Grid grid(scene);
  std::string text = fmt::format("<section><h2>{}</h2>\n<div class=\"top\">\n", html_text(scene.name));
  if (scene.measurement) {
    text += figure(picture_svg(grey_picture(*scene.measurement), {}, scene.name + ", measurement"), "The measurement");
  }
  text += plots(scene) + "</div>\n" + grid.html();
  const std::string exposure = grid.exposure() == 1
                                   ? std::string()
                                   : fmt::format("Colours are shown at {:.2g} times their exposure. ", grid.exposure());
  return text + fmt::format("<p class=\"note\">{}Every band is scaled to the truth’s brightest part.</p>\n</section>\n",
                            exposure);
}

}  // namespace snapcube
