#pragma once
// What can be drawn as an image, by name:
//   band-S-B        band B of source S
//   rgb-S           linear sRGB of source S
//   error-S-T-B     |S − T| in band B
//   error-S-T-mean  its mean over the bands

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "serve/gallery.h"
#include "serve/tile.h"

namespace snapcube {

class Layer {
 public:
  /// versions: of the values that are meant, "3", or "3-1" for two sources; empty: the present ones. Throws InputError,
  /// in words for the person behind the request; Outdated for versions that are no longer there.
  Layer(std::string_view name, std::string_view versions, Gallery& gallery);

  int height() const { return a_.cube->height(); }
  int width() const { return a_.cube->width(); }
  int channels() const { return kind_ == Kind::rgb ? 3 : 1; }

  /// The tile in 16-bit floats, times the unit of the (first) source. Throws InputError if it does not exist.
  std::string tile(const TileAddress& address) const;

  struct Range {
    double low, high, minimum, maximum;
  };
  /// Percentiles (0 … 100) over all channels together; of a large layer, over every n-th pixel.
  Range range(double low, double high) const;

 private:
  enum class Kind { band, rgb, error };
  Source source(std::string_view number, std::optional<int> version, Gallery& gallery) const;
  int band_of(std::string_view number) const;
  /// Rows of the layer; `scratch` holds those that are computed.
  RowOf rows(std::vector<float>& scratch) const;

  std::string name_;
  Kind kind_ = Kind::band;
  Source a_;
  Source b_;
  int band_ = 0;
  std::shared_ptr<const Image> mean_;
  const LinearColour* colour_ = nullptr;
};

}  // namespace snapcube
