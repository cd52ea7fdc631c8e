#include <cstdint>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/view.h>

#include "base/text.h"

namespace snapcube {

namespace {

void check(const char* what, bool has_data, std::initializer_list<int> sizes) {
  bool any = true;
  for (const int n : sizes) {
    if (n < 0) throw InputError("view", what, "sizes of at least 0", std::to_string(n));
    any = any && n > 0;
  }
  if (any && !has_data) throw InputError("view", what, "memory", "a null pointer");
}

template <typename A, typename B>
void check_same(const A& a, const B& b) {
  if (a.height() != b.height() || a.width() != b.width()) {
    throw InputError("copy", "size", shape_text(a.height(), a.width()), shape_text(b.height(), b.width()));
  }
}

}  // namespace

ImageView::ImageView(const float* data, int height, int width, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride)
    : data_(data), height_(height), width_(width), row_stride_(row_stride), column_stride_(column_stride) {
  check("image", data != nullptr, {height, width});
}

ImageView::operator Image() const {
  Image image(height_, width_);
  copy(*this, image);
  return image;
}

CubeView::CubeView(float* data, int bands, int height, int width, std::ptrdiff_t band_stride, std::ptrdiff_t row_stride,
                   std::ptrdiff_t column_stride)
    : data_(data),
      bands_(bands),
      height_(height),
      width_(width),
      band_stride_(band_stride),
      row_stride_(row_stride),
      column_stride_(column_stride) {
  check("cube", data != nullptr, {bands, height, width});
}

void copy(const ImageView& from, Image& to) {
  check_same(from, to);
  for (int y = 0; y < to.height(); ++y) {
    float* row = to.row(y);
    for (int x = 0; x < to.width(); ++x) row[x] = from(y, x);
  }
}

void copy(const Cube& from, const CubeView& to) {
  check_same(from, to);
  if (from.bands() != to.bands()) {
    throw InputError("copy", "bands", std::to_string(from.bands()), std::to_string(to.bands()));
  }
  // Where bands lie side by side (height × width × bands), a row of all bands at a time: each cache line is filled
  // once.
  const int height = to.height();
#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; ++y) {
    for (int b = 0; b < to.bands(); ++b) {
      const float* row = from.row(b, y);
      for (int x = 0; x < to.width(); ++x) to(b, y, x) = row[x];
    }
  }
}

}  // namespace snapcube
