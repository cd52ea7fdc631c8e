#include "report/scene_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "metrics/mean_spectrum.h"
#include "render/appearance.h"
#include "render/colour_map.h"
#include "report/method_column.h"
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

std::string figure(const std::string& content, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", content, caption);
}

/// a, b, c, …
std::string region_name(std::size_t i) { return std::string(1, static_cast<char>('a' + i % 26)); }

std::string band_name(const Cube& truth, int band) {
  return has_colours(truth) ? fmt::format("{:.1f} nm", truth.wavelengths[static_cast<std::size_t>(band)])
                            : fmt::format("band {}", band + 1);
}

/// A row for the truth and for every method: colours, a detail, single bands, the error, the sparsity map.
class Grid {
 public:
  explicit Grid(const SceneContent& scene)
      : scene_(scene), exposure_(automatic_exposure(colours_of(scene.reference()))) {
    for (const SceneResult& r : scene.results) {
      if (scene.truth) {
        errors_.push_back(mean_absolute_error(r.cube, *scene.truth));
        most_error_ = std::max(most_error_, percentile(errors_.back(), 0.99));
      }
      has_sparsity_ = has_sparsity_ || !r.sparsity_png.empty();
    }
    most_error_ = round_up(most_error_);
  }

  double exposure() const { return exposure_; }

  /// The truth, or the first cube, large, with the regions whose spectra are plotted.
  std::string overview() const {
    std::vector<Mark> marks = {{scene_.detail, kDetailColour, ""}};
    for (std::size_t i = 0; i < scene_.regions.size(); ++i) {
      marks.push_back({scene_.regions[i], kRegionColour, region_name(i)});
    }
    return picture_svg(encode(colours_of(scene_.reference()), exposure_), marks,
                       fmt::format("{}, {}, with the regions", scene_.name, scene_.truth ? "truth" : "reconstruction"));
  }

  std::string html() const {
    const Cube& reference = scene_.reference();
    const std::size_t columns = 2 + scene_.bands.size() + (scene_.truth ? 1 : 0) + (has_sparsity_ ? 1 : 0);
    std::string text = fmt::format("<div class=\"grid\" style=\"--columns:{}\">\n<div></div>", columns);
    const auto head = [&](const std::string& words) { text += fmt::format("<div class=\"head\">{}</div>", words); };
    head(has_colours(reference) ? "sRGB" : "mean of bands");
    head("detail");
    for (const int band : scene_.bands) head(band_name(reference, band));
    if (scene_.truth) head("error");
    if (has_sparsity_) head("sparsity");
    if (scene_.truth) {
      text += "\n<div class=\"side\"><b>Truth</b></div>";
      text += pictures(*scene_.truth, "truth");
      text += fmt::format("<div class=\"legend\">mean over bands of |error|{}</div>", error_scale_svg(most_error_));
      if (has_sparsity_) text += "<div class=\"legend\">where the network looked closer</div>";
    }
    for (std::size_t i = 0; i < scene_.results.size(); ++i) text += result_row(i);
    return text + "</div>\n";
  }

 private:
  std::string result_row(std::size_t i) const {
    const SceneResult& r = scene_.results[i];
    std::string text = fmt::format("\n<div class=\"side\"><b>{}</b>{}</div>", html_text(r.method), figures_of(r));
    text += pictures(r.cube, r.method);
    if (scene_.truth) {
      text +=
          picture_svg(error_picture(errors_[i], most_error_), {}, fmt::format("{}, {}, error", scene_.name, r.method));
    }
    if (!r.sparsity_png.empty()) {
      text += fmt::format("<img class=\"picture\" alt=\"{}, {}, sparsity map\" src=\"{}\">", html_text(scene_.name),
                          html_text(r.method), png_uri(r.sparsity_png));
    } else if (has_sparsity_) {
      text += "<div></div>";
    }
    return text;
  }

  /// What is known of a cube in figures, below its method's name.
  static std::string figures_of(const SceneResult& r) {
    if (r.scores) {
      return fmt::format("{:.2f} dB<br>{}", r.scores->psnr,
                         std::isnan(r.scores->ssim) ? std::string("–") : fmt::format("{:.3f}", r.scores->ssim));
    }
    return r.misfit && std::isfinite(*r.misfit) ? fmt::format("misfit {:.1f} %", 100 * *r.misfit) : std::string();
  }

  /// Colours, detail and bands of the truth or of a method.
  std::string pictures(const Cube& cube, const std::string& who) const {
    Cube coloured = cube;
    coloured.wavelengths = scene_.reference().wavelengths;
    const Picture colours = encode(colours_of(coloured), exposure_);
    std::string text =
        picture_svg(colours, {{scene_.detail, kDetailColour, ""}}, fmt::format("{}, {}, colours", scene_.name, who));
    text += picture_svg(crop_picture(colours, scene_.detail), {}, fmt::format("{}, {}, detail", scene_.name, who));
    for (const int band : scene_.bands) text += band_picture(cube, band, who);
    return text;
  }

  std::string band_picture(const Cube& cube, int band, const std::string& who) const {
    const Cube& reference = scene_.reference();
    const double bright = brightest(band);
    Triple tint = {1, 1, 1};
    if (has_colours(reference)) tint = wavelength_tint(reference.wavelengths[static_cast<std::size_t>(band)]);
    return picture_svg(tinted(band_image(cube, band), bright > 1e-6 ? 1 / bright : 1, tint), {},
                       fmt::format("{}, {}, {}", scene_.name, who, band_name(reference, band)));
  }

  /// What a band is scaled to: the truth's brightest part, or that of all cubes.
  double brightest(int band) const {
    if (scene_.truth) return percentile(band_image(*scene_.truth, band), 0.995);
    double most = 0;
    for (const SceneResult& r : scene_.results) most = std::max(most, percentile(band_image(r.cube, band), 0.995));
    return most;
  }

  const SceneContent& scene_;
  double exposure_;
  std::vector<Image> errors_;  ///< of each result
  double most_error_ = 0;      ///< end of their scale
  bool has_sparsity_ = false;
};

std::string plots(const SceneContent& scene) {
  const Cube& reference = scene.reference();
  std::vector<double> x = reference.wavelengths;
  if (!has_colours(reference)) {
    x.clear();
    for (int b = 0; b < reference.bands(); ++b) x.push_back(b + 1);
  }
  std::string text;
  for (std::size_t i = 0; i < scene.regions.size(); ++i) {
    const Region& region = scene.regions[i];
    std::vector<SpectralCurve> curves;
    if (scene.truth) curves.push_back({"truth", "#111", false, mean_spectrum(crop(*scene.truth, region))});
    for (const SceneResult& r : scene.results) {
      curves.push_back({r.method, kColours[r.number % kColours.size()], scene.truth.has_value(),
                        mean_spectrum(crop(r.cube, region))});
      if (scene.truth) curves.back().correlation = spectral_correlation(r.cube, *scene.truth, region);
    }
    text += spectrum_svg(fmt::format("Region {}: {}×{} pixels at ({}, {})", static_cast<char>('a' + i % 26),
                                     region.height, region.width, region.left, region.top),
                         x, has_colours(reference) ? "wavelength in nm" : "band", curves);
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
  text += figure(grid.overview(), fmt::format("{}; white: regions of the spectra, yellow: the detail",
                                              scene.truth ? "The truth" : html_text(scene.results.front().method)));
  text += plots(scene);
  text += "</div>\n";
  text += grid.html();
  const std::string exposure = grid.exposure() == 1
                                   ? std::string()
                                   : fmt::format("Colours are shown at {:.2g} times their exposure. ", grid.exposure());
  const std::string note = scene.note.empty() ? "" : html_text(scene.note) + " ";
  return text + fmt::format("<p class=\"note\">{}{}Every band is scaled to {}.</p>\n</section>\n", note, exposure,
                            scene.truth ? "the truth’s brightest part" : "the brightest part that any cube has");
}

}  // namespace snapcube
