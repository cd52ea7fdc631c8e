#pragma once
/// The two containers everything works on: Image (height × width) and Cube (bands × height × width).
/// Values are 32-bit floats, rows are contiguous, and bands follow one another. Light is linear; 1 is white.
///
/// Thread safety: as for standard containers. Several threads may read one; a thread that changes it must be alone.

#include <cstddef>
#include <new>
#include <span>
#include <vector>

namespace snapcube {

/// Aligns vectors to a cache line, which is also the widest SIMD register.
template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT(google-explicit-constructor): rebind
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(n * sizeof(T), kAlignment));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }
  bool operator==(const CacheLineAllocator&) const { return true; }
};

using FloatBuffer = std::vector<float, CacheLineAllocator<float>>;

/// A grey image: measurement, mask, one band.
class Image {
 public:
  Image() = default;
  Image(int height, int width, float fill = 0.0f)
      : height_(height), width_(width), values_(static_cast<std::size_t>(height) * width, fill) {}

  int height() const { return height_; }
  int width() const { return width_; }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }
  float* row(int y) { return values_.data() + static_cast<std::size_t>(y) * width_; }
  const float* row(int y) const { return values_.data() + static_cast<std::size_t>(y) * width_; }
  float& operator()(int y, int x) { return row(y)[x]; }
  float operator()(int y, int x) const { return row(y)[x]; }
  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }

 private:
  int height_ = 0;
  int width_ = 0;
  FloatBuffer values_;
};

/// A hyperspectral cube, band after band.
class Cube {
 public:
  Cube() = default;
  Cube(int bands, int height, int width, float fill = 0.0f)
      : bands_(bands),
        height_(height),
        width_(width),
        values_(static_cast<std::size_t>(bands) * height * width, fill) {}

  int bands() const { return bands_; }
  int height() const { return height_; }
  int width() const { return width_; }
  std::size_t size() const { return values_.size(); }
  std::size_t band_size() const { return static_cast<std::size_t>(height_) * width_; }
  bool empty() const { return values_.empty(); }

  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }
  float* band(int b) { return values_.data() + b * band_size(); }
  const float* band(int b) const { return values_.data() + b * band_size(); }
  float* row(int b, int y) { return band(b) + static_cast<std::size_t>(y) * width_; }
  const float* row(int b, int y) const { return band(b) + static_cast<std::size_t>(y) * width_; }
  float& operator()(int b, int y, int x) { return row(b, y)[x]; }
  float operator()(int b, int y, int x) const { return row(b, y)[x]; }
  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }

  /// Centre of each band in nm, one per band; empty when unknown.
  std::vector<double> wavelengths;

 private:
  int bands_ = 0;
  int height_ = 0;
  int width_ = 0;
  FloatBuffer values_;
};

/// A rectangle of pixels: rows top … top+height−1, columns left … left+width−1.
struct Region {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;
};

/// Cuts a rectangle out. Throws InputError when it does not lie inside.
Image crop(const Image& image, const Region& region);
Cube crop(const Cube& cube, const Region& region);

}  // namespace snapcube
