#pragma once
/// Pictures and cubes in memory that belongs to somebody else: a camera's frame buffer, a NumPy array, a LabVIEW array.
/// A view is a pointer, sizes and strides; it copies nothing and owns nothing, so the memory must outlive it.
///
/// Strides count floats, not bytes. Rows may be padded, turned upside down (a negative stride) or transposed.
///
/// Thread safety: a view is a value; what it points to is as safe as plain memory is.

#include <cstddef>

#include <snapcube/array.h>

namespace snapcube {

/// A picture to be read: a measurement, a mask. Pixel (y, x) is data[y·row_stride + x·column_stride].
class ImageView {
 public:
  /// An Image is its own view.
  ImageView(const Image& image)  // NOLINT(google-explicit-constructor): wherever a view is asked for
      : data_(image.data()), height_(image.height()), width_(image.width()), row_stride_(image.width()) {}
  /// Rows one after the other, without gaps.
  ImageView(const float* data, int height, int width) : ImageView(data, height, width, width) {}
  /// Throws InputError for negative sizes, and for no data where there are pixels.
  ImageView(const float* data, int height, int width, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride = 1);

  int height() const { return height_; }
  int width() const { return width_; }
  std::size_t size() const { return static_cast<std::size_t>(height_) * static_cast<std::size_t>(width_); }
  bool empty() const { return size() == 0; }
  const float* data() const { return data_; }
  std::ptrdiff_t row_stride() const { return row_stride_; }
  std::ptrdiff_t column_stride() const { return column_stride_; }
  /// Whether the pixels of a row lie side by side, so that row() is a row.
  bool has_plain_rows() const { return column_stride_ == 1; }
  const float* row(int y) const { return data_ + y * row_stride_; }
  float operator()(int y, int x) const { return data_[y * row_stride_ + x * column_stride_]; }

  /// A copy that owns its pixels.
  explicit operator Image() const;

 private:
  const float* data_ = nullptr;
  int height_ = 0;
  int width_ = 0;
  std::ptrdiff_t row_stride_ = 0;
  std::ptrdiff_t column_stride_ = 1;
};

/// A cube to be written. Value (b, y, x) is data[b·band_stride + y·row_stride + x·column_stride].
class CubeView {
 public:
  /// A Cube is its own view.
  CubeView(Cube& cube)  // NOLINT(google-explicit-constructor): wherever a view is asked for
      : data_(cube.data()),
        bands_(cube.bands()),
        height_(cube.height()),
        width_(cube.width()),
        band_stride_(static_cast<std::ptrdiff_t>(cube.band_size())),
        row_stride_(cube.width()) {}
  /// Band after band and row after row, without gaps.
  CubeView(float* data, int bands, int height, int width)
      : CubeView(data, bands, height, width, static_cast<std::ptrdiff_t>(height) * width, width, 1) {}
  /// Throws InputError for negative sizes, and for no data where there are values.
  CubeView(float* data, int bands, int height, int width, std::ptrdiff_t band_stride, std::ptrdiff_t row_stride,
           std::ptrdiff_t column_stride);

  int bands() const { return bands_; }
  int height() const { return height_; }
  int width() const { return width_; }
  float* data() const { return data_; }
  std::ptrdiff_t band_stride() const { return band_stride_; }
  std::ptrdiff_t row_stride() const { return row_stride_; }
  std::ptrdiff_t column_stride() const { return column_stride_; }
  /// Whether the values of a row lie side by side, so that row() is a row.
  bool has_plain_rows() const { return column_stride_ == 1; }
  float* row(int b, int y) const { return data_ + b * band_stride_ + y * row_stride_; }
  float& operator()(int b, int y, int x) const { return row(b, y)[x * column_stride_]; }

 private:
  float* data_;
  int bands_;
  int height_;
  int width_;
  std::ptrdiff_t band_stride_;
  std::ptrdiff_t row_stride_;
  std::ptrdiff_t column_stride_ = 1;
};

/// Copies values; both must have the same sizes, else InputError.
void copy(const ImageView& from, Image& to);
void copy(const Cube& from, const CubeView& to);

}  // namespace snapcube
