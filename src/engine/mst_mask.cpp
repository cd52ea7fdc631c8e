#include "engine/mst_mask.h"

#include <algorithm>
#include <cmath>

#include "engine/frame.h"
#include "kernels/gate.h"

namespace snapcube::engine {

namespace {

constexpr int kReach = 2;  // of the 5×5 convolution
constexpr int kRing = 2 * kReach + 1;

/// The bands' offsets between bands, and beyond the last.
double offset_at(const std::vector<double>& offsets, double band) {
  if (offsets.size() == 1) return offsets[0];
  const std::size_t before = std::min(static_cast<std::size_t>(band), offsets.size() - 2);
  return offsets[before] + (band - static_cast<double>(before)) * (offsets[before + 1] - offsets[before]);
}

/// to[i] += weight · from[i − shift] for every i in 0 … n−1 whose source is in 0 … count−1.
void add_shifted(const float* from, int count, int shift, float weight, int n, float* to) {
  const int last = std::min(n, shift + count);
  for (int i = shift; i < last; ++i) to[i] += weight * from[i - shift];
}

}  // namespace

MaskPlace mask_place(const Camera& camera, const FrameSize& usable, int stage) {
  const bool columns = camera.axis() == Axis::columns;
  const int height = usable.height + camera.detector_height() - camera.height();
  const int width = usable.width + camera.detector_width() - camera.width();
  MaskPlace place{{height >> stage, width >> stage}, camera.axis(), {}};
  const int room = columns ? place.size.width - (usable.width >> stage) : place.size.height - (usable.height >> stage);
  std::vector<double> offsets = camera.offsets();
  const bool falling = offsets.front() > offsets.back();
  if (falling) std::ranges::reverse(offsets);
  const double scale = 1 << stage;
  const int channels = camera.bands() << stage;
  for (int c = 0; c < channels; ++c) {
    const int channel = falling ? channels - 1 - c : c;
    const auto shift = static_cast<int>(std::floor(offset_at(offsets, channel / scale) / scale));
    place.shifts.push_back(std::clamp(shift, 0, room));
  }
  return place;
}

void fill_shifted_masks(const Camera& camera, const FrameSize& usable, const Map& out, Team& team) {
  const std::vector<double> offsets = camera.offsets();
  const Image& mask = camera.mask();
  team.rows(out.height, [&](int y, Workspace& own) {
    const Workspace::Scope scope(own);
    float* row = own.take(static_cast<std::size_t>(usable.width));
    std::fill_n(out.row(y), out.row_step, 0.0f);
    const auto read = [&](int r) {
      const float* from = mask.row(reflected(r, camera.height()));
      for (int x = 0; x < usable.width; ++x) row[x] = from[reflected(x, camera.width())];
    };
    if (camera.axis() == Axis::columns) read(y);
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      const auto whole = static_cast<int>(std::floor(offsets[b]));
      const auto fraction = static_cast<float>(offsets[b] - whole);
      // The two nearest pixels, as the camera splits a fraction.
      for (int part = 0; part < 2; ++part) {
        const float weight = part == 0 ? 1 - fraction : fraction;
        if (weight == 0) continue;
        const bool columns = camera.axis() == Axis::columns;
        const int from = y - whole - part;
        if (!columns && (from < 0 || from >= usable.height)) continue;
        if (!columns) read(from);
        add_shifted(row, usable.width, columns ? whole + part : 0, weight, out.width, out.row(y) + b * out.pitch);
      }
    }
  });
}

MaskGuide::MaskGuide(const TensorsOf& t)
    : first_(pack(t("conv1.weight"))),
      second_(pack(t("conv2.weight"))),
      first_bias_(t("conv1.bias").values),
      second_bias_(t("conv2.bias").values),
      depthwise_(t("depth_conv.weight").values),
      depthwise_bias_(t("depth_conv.bias").values) {}

std::size_t MaskGuide::scratch(int width) const {
  return 2 * (kLine + kRing * static_cast<std::size_t>(first_.outputs) * pitch_of(width));
}

void MaskGuide::run(const Map& masks, const MaskPlace& place, const Map& out, Team& team) const {
  const auto channels = static_cast<std::size_t>(first_.outputs);
  const std::size_t step = channels * masks.pitch;
  const bool columns = place.axis == Axis::columns;
  team.slabs(masks.height, 4 * kReach, [&](int first, int last, Workspace& own) {
    const Workspace::Scope scope(own);
    float* values = own.take(kLine + kRing * step) + kLine;
    float* filtered = own.take(kLine + kRing * step) + kLine;
    std::fill_n(filtered - kLine, kLine + kRing * step, 0.0f);  // the convolution's padding, for one
    const auto slot = [&](float* ring, int row) { return ring + static_cast<std::size_t>(row % kRing) * step; };
    int next = std::max(0, first - kReach);
    for (int y = first; y < last; ++y) {
      for (; next <= std::min(y + kReach, masks.height - 1); ++next) {
        const float* tap = masks.row(next);
        kernels::RowProduct p = first_.product();
        p.taps = &tap;
        p.pitch = p.out_pitch = masks.pitch;
        p.pixels = masks.pixels();
        p.bias = first_bias_.data();
        p.out = slot(values, next);
        own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
        tap = p.out;
        p.weights = second_.values.data();
        p.bias = second_bias_.data();
        p.out = slot(filtered, next);
        own.times.measure(Kernel::convolve, [&] { kernels::row_product(p); });
      }
      own.times.measure(Kernel::depthwise, [&] {
        for (std::size_t c = 0; c < channels; ++c) {
          const int to = columns ? y : y - place.shifts[c];
          if (to < 0 || to >= out.height) continue;
          const std::size_t at = c * masks.pitch + static_cast<std::size_t>(columns ? place.shifts[c] : 0);
          const float* rows[kRing];
          for (int dy = 0; dy < kRing; ++dy) {
            const int row = y + dy - kReach;
            rows[dy] = row < 0 || row >= masks.height ? nullptr : slot(filtered, row) + at;
          }
          kernels::Gate g;
          g.weights = depthwise_.data() + c * kRing * kRing;
          g.bias = depthwise_bias_[c];
          g.rows = rows;
          g.x = slot(values, y) + at;
          g.pixels = out.pixels();
          g.out = out.row(to) + c * out.pitch;
          kernels::gate(g);
        }
      });
    }
  });
}

}  // namespace snapcube::engine
