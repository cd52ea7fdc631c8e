#include "serve/layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

/// Percentiles are taken from about this many values at most.
constexpr std::size_t kSample = 2'000'000;

std::string quoted(std::string_view text) { return fmt::format("'{}'", text); }

/// "3-1" → {3, 1}; nothing for the present ones.
std::array<std::optional<int>, 2> parse_versions(std::string_view text) {
  std::array<std::optional<int>, 2> versions;
  if (text.empty()) return versions;
  const std::vector<std::string> parts = split(text, '-');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = parse_int(parts[i]);
    if (i >= versions.size() || !number || *number < 0 || *number > std::numeric_limits<int>::max()) {
      throw InputError("layer", "version", "a number, or two with '-' between them", quoted(text));
    }
    versions[i] = static_cast<int>(*number);
  }
  return versions;
}

}  // namespace

Layer::Layer(std::string_view name, std::string_view versions, Gallery& gallery) : name_(name) {
  const auto [version_a, version_b] = parse_versions(versions);
  const std::vector<std::string> parts = split(name, '-');
  if (parts.size() == 3 && parts[0] == "band") {
    kind_ = Kind::band;
    a_ = source(parts[1], version_a, gallery);
    band_ = band_of(parts[2]);
  } else if (parts.size() == 2 && parts[0] == "rgb") {
    kind_ = Kind::rgb;
    a_ = source(parts[1], version_a, gallery);
    colour_ = &a_.colour->get([&] { return linear_colour(*a_.cube); });
  } else if (parts.size() == 4 && parts[0] == "error") {
    kind_ = Kind::error;
    a_ = source(parts[1], version_a, gallery);
    b_ = source(parts[2], version_b, gallery);
    if (!same_shape(*a_.cube, *b_.cube)) throw InputError("layer", name_, "two sources of one shape", "different ones");
    if (parts[3] == "mean") {
      mean_ =
          gallery.mean_error(a_, b_, static_cast<int>(*parse_int(parts[1])), static_cast<int>(*parse_int(parts[2])));
    } else {
      band_ = band_of(parts[3]);
    }
  } else {
    throw InputError("layer", "", "band-S-B, rgb-S, error-S-T-B or error-S-T-mean", quoted(name_));
  }
}

Source Layer::source(std::string_view number, std::optional<int> version, Gallery& gallery) const {
  const auto id = parse_int(number);
  std::optional<Source> found;
  if (id && *id >= 0 && *id < gallery.size()) {
    const auto n = static_cast<int>(*id);
    found = version ? gallery.source(n, *version) : gallery.source(n);
  }
  if (!found) throw InputError("layer", "source", fmt::format("0 … {}", gallery.size() - 1), quoted(number));
  return *found;
}

int Layer::band_of(std::string_view number) const {
  const auto band = parse_int(number);
  if (!band || *band < 0 || *band >= a_.cube->bands()) {
    throw InputError("layer", "band", fmt::format("0 … {}", a_.cube->bands() - 1), quoted(number));
  }
  return static_cast<int>(*band);
}

RowOf Layer::rows(std::vector<float>& scratch) const {
  if (kind_ == Kind::rgb) return [this](int c, int y) { return (*colour_)[static_cast<std::size_t>(c)].row(y); };
  if (mean_) return [this](int, int y) { return mean_->row(y); };
  if (kind_ == Kind::band) return [this](int, int y) { return a_.cube->row(band_, y); };
  scratch.resize(static_cast<std::size_t>(width()));
  return [this, &scratch](int, int y) {
    const float* p = a_.cube->row(band_, y);
    const float* q = b_.cube->row(band_, y);
    for (int x = 0; x < width(); ++x) scratch[static_cast<std::size_t>(x)] = std::abs(p[x] - q[x]);
    return static_cast<const float*>(scratch.data());
  };
}

std::string Layer::tile(const TileAddress& address) const {
  if (tile_region(height(), width(), address).height == 0) {
    throw InputError("tile", "address", fmt::format("one of {} levels", last_level(height(), width()) + 1),
                     fmt::format("level {}, x {}, y {}", address.level, address.x, address.y));
  }
  std::vector<float> scratch;
  return half_tile(height(), width(), channels(), rows(scratch), address, a_.unit);
}

Layer::Range Layer::range(double low, double high) const {
  if (!(low >= 0 && high <= 100 && low < high)) {
    throw InputError("range", "percentiles", "0 ≤ low < high ≤ 100", fmt::format("{} and {}", low, high));
  }
  std::vector<float> scratch;
  const RowOf row = rows(scratch);
  const std::size_t total = static_cast<std::size_t>(height()) * width() * channels();
  const auto stride = static_cast<std::int64_t>(total / kSample + 1);
  std::vector<float> sample;
  sample.reserve(total / static_cast<std::size_t>(stride) + 1);
  for (int c = 0; c < channels(); ++c) {
    std::int64_t next = 0;  // counts pixels, so that the picked ones do not line up in columns
    for (int y = 0; y < height(); ++y, next -= width()) {
      if (next >= width()) continue;
      const float* in = row(c, y);
      for (; next < width(); next += stride) sample.push_back(in[next]);
    }
  }
  // The k-th smallest, k = p/100·(n − 1) rounded: what "nearest" percentiles are.
  const auto percentile = [&](double p) {
    const auto k = static_cast<std::ptrdiff_t>(std::lround(p / 100 * static_cast<double>(sample.size() - 1)));
    std::ranges::nth_element(sample, sample.begin() + k);
    return static_cast<double>(sample[static_cast<std::size_t>(k)]);
  };
  const auto [smallest, largest] = std::ranges::minmax(sample);
  return {percentile(low), percentile(high), smallest, largest};
}

}  // namespace snapcube
