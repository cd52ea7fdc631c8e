#include "engine/mst_attention.h"

#include <array>
#include <cmath>

#include "kernels/depthwise.h"
#include "kernels/elementwise.h"
#include "kernels/gram.h"

namespace snapcube::engine {

namespace {

/// Parts of the frame whose sums are taken apart, for any number of threads, and then added in order.
constexpr int kMostParts = 32;
constexpr int kLeastPartRows = 8;

int parts_of(int height) { return std::clamp(height / kLeastPartRows, 1, kMostParts); }

/// Output rows at a time. Rows of GELU(3×3(v)) are made as many at a time, from the one above the band on: a group and
/// the one after it hold what an output group looks at, and for that v is needed up to 7 rows below its first.
constexpr int kGroup = kernels::kMaxDepthwiseRows;
constexpr int kRing = 2 * kGroup;
/// Pixels that go through the last steps together.
constexpr int kTile = 64;
/// Rows of a band, at whose edges rows of v and of its first convolution are computed twice.
constexpr int kLeastSlab = 12;

std::vector<double> doubles(const NamedTensor& tensor) { return {tensor.values.begin(), tensor.values.end()}; }

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// to[j] = Σ_i row[i] · matrix[i][j]
void multiply(const double* row, const double* matrix, std::size_t n, std::size_t columns, std::size_t pitch,
              double* __restrict to) {
  std::fill_n(to, columns, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double factor = row[i];
    const double* from = matrix + i * pitch;
    for (std::size_t j = 0; j < columns; ++j) to[j] += factor * from[j];
  }
}

/// Columns −1 and `width` of each of `lines` lines: the padding of a convolution.
void clear_edges(float* lines, std::size_t count, std::size_t pitch, int width) {
  for (std::size_t line = 0; line < count; ++line) {
    (lines + line * pitch)[-1] = 0;
    lines[line * pitch + static_cast<std::size_t>(width)] = 0;
  }
}

}  // namespace

void SpectralRoom::prepare(int channels, int height) {
  const auto c = static_cast<std::size_t>(channels);
  const auto grow = [](auto& buffer, std::size_t size) {
    if (buffer.size() < size) buffer.resize(size);
  };
  grow(parts, static_cast<std::size_t>(parts_of(height)) * c * c);
  for (std::vector<double>* v : {&sums, &products, &logits}) grow(*v, c * c);
  grow(norms, 2 * c);
  grow(matrix, c * c);
  grow(packed, c * c);
}

std::size_t SpectralRoom::bytes() const {
  return (parts.size() + sums.size() + products.size() + logits.size() + norms.size()) * sizeof(double) +
         (matrix.size() + packed.size()) * sizeof(float);
}

SpectralAttention::SpectralAttention(int channels, int heads, const TensorsOf& t)
    : channels_(channels),
      heads_(heads),
      query_(doubles(t("to_q.weight"))),
      key_(doubles(t("to_k.weight"))),
      output_(doubles(t("proj.weight"))),
      rescale_(t("rescale").values),
      value_(pack(t("to_v.weight"))),
      bias_(t("proj.bias").values),
      position_{t("pos_emb.0.weight").values, t("pos_emb.2.weight").values} {}

void SpectralAttention::run(const Map& in, const Map& guide, const Map& out, SpectralRoom& room, Team& team) const {
  add_up(in, room, team);
  fold(room, team);
  team.slabs(in.height, kLeastSlab,
             [&](int first, int last, Workspace& own) { apply(in, guide, out, first, last, room.packed.data(), own); });
}

void SpectralAttention::add_up(const Map& in, SpectralRoom& room, Team& team) const {
  const auto c = static_cast<std::size_t>(channels_);
  const int parts = parts_of(in.height);
  team.each(parts, [&](int part, Workspace& own) {
    const int first = in.height * part / parts;
    kernels::Gram g;
    g.x = in.row(first);
    g.channels = channels_;
    g.pitch = in.pitch;
    g.pixels = in.pixels();
    g.rows = in.height * (part + 1) / parts - first;
    g.row_step = in.row_step;
    g.sums = room.parts.data() + static_cast<std::size_t>(part) * c * c;
    own.times.measure(Kernel::gram, [&] {
      std::fill_n(g.sums, c * c, 0.0);
      kernels::gram(g);
    });
  });
  team.each(channels_, [&](int row, Workspace&) {
    const auto i = static_cast<std::size_t>(row);
    for (std::size_t j = i; j < c; ++j) {
      double sum = 0;
      for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) {
        sum += room.parts[(part * c + i) * c + j];
      }
      room.sums[i * c + j] = room.sums[j * c + i] = sum;
    }
  });
}

void SpectralAttention::fold(SpectralRoom& room, Team& team) const {
  const auto c = static_cast<std::size_t>(channels_);
  const std::size_t size = c / static_cast<std::size_t>(heads_);  // of a head
  team.each(channels_, [&](int row, Workspace& own) {
    own.times.measure(Kernel::fold, [&] {
      const auto i = static_cast<std::size_t>(row);
      double* product = room.products.data() + i * c;
      const std::size_t head = i / size;
      multiply(query_.data() + i * c, room.sums.data(), c, c, c, product);
      room.norms[c + i] = dot(product, query_.data() + i * c, c);
      multiply(key_.data() + i * c, room.sums.data(), c, c, c, product);
      room.norms[i] = dot(product, key_.data() + i * c, c);
      for (std::size_t j = 0; j < size; ++j) {
        room.logits[i * size + j] = dot(product, query_.data() + (head * size + j) * c, c);
      }
    });
  });
  // Norms are at least 1e-12, as where channels are normalised one by one.
  for (std::size_t i = 0; i < 2 * c; ++i) room.norms[i] = std::max(std::sqrt(std::max(room.norms[i], 0.0)), 1e-12);
  for (std::size_t i = 0; i < c; ++i) {
    const std::size_t head = i / size;
    double* a = room.logits.data() + i * size;
    for (std::size_t j = 0; j < size; ++j) {
      a[j] *= rescale_[head] / (room.norms[i] * room.norms[c + head * size + j]);
    }
    const double most = *std::max_element(a, a + size);
    double sum = 0;
    for (std::size_t j = 0; j < size; ++j) sum += a[j] = std::exp(a[j] - most);
    for (std::size_t j = 0; j < size; ++j) a[j] /= sum;
  }
  team.each(channels_, [&](int row, Workspace& own) {
    own.times.measure(Kernel::fold, [&] {
      const auto i = static_cast<std::size_t>(row);
      double* product = room.products.data() + i * c;
      for (std::size_t at = 0; at < c; at += size) {
        multiply(output_.data() + i * c + at, room.logits.data() + at * size, size, size, size, product);
        for (std::size_t j = 0; j < size; ++j) room.matrix[i * c + at + j] = static_cast<float>(product[j]);
      }
    });
  });
  kernels::pack_weights(room.matrix.data(), channels_, channels_, 1, room.packed.data());
}

std::size_t SpectralAttention::scratch(int width) const {
  const auto c = static_cast<std::size_t>(channels_);
  return kLine + (2 * kRing + 1) * c * pitch_of(width) + kGroup * c * kTile + 2 * kLine;
}

void SpectralAttention::apply(const Map& in, const Map& guide, const Map& out, int first, int last, const float* packed,
                              Workspace& own) const {
  const Workspace::Scope scope(own);
  const auto c = static_cast<std::size_t>(channels_);
  const std::size_t step = c * in.pitch;
  float* values = own.take(kLine + (2 * kRing + 1) * step) + kLine;  // rows of v
  float* filtered = values + kRing * step;                           // rows of GELU(3×3(v))
  float* zeros = filtered + kRing * step;
  float* guided = own.take(kGroup * c * kTile);
  clear_edges(values, 2 * kRing * c, in.pitch, in.width);
  std::fill_n(zeros - 1, step + 1, 0.0f);

  const auto value_row = [&](int y) { return values + static_cast<std::size_t>(y % kRing) * step; };
  const auto value_or_zeros = [&](int y) { return y < 0 || y >= in.height ? zeros : value_row(y); };
  // Counted from the row above the band, so that no group of rows goes around the ring's end.
  const auto filtered_row = [&](int y) { return filtered + static_cast<std::size_t>((y - first + 1) % kRing) * step; };
  const auto filtered_or_zeros = [&](int y) { return y < 0 || y >= in.height ? zeros : filtered_row(y); };

  int next = std::max(0, first - 2);
  const auto make_values = [&](int until) {
    for (; next < std::min(until, in.height); ++next) {
      const float* tap = in.row(next);
      kernels::RowProduct p = value_.product();
      p.taps = &tap;
      p.pitch = p.out_pitch = in.pitch;
      p.pixels = in.pixels();
      if (next + 1 < in.height) {
        p.next = in.row(next + 1);
        p.next_pitch = in.pitch;
      }
      p.out = value_row(next);
      own.times.measure(Kernel::project, [&] { kernels::row_product(p); });
    }
  };
  const auto make_filtered = [&](int from) {
    // Row −1 is computed from row 0 and is not looked at; below the band one row is.
    const int rows = std::min(kGroup, std::min(last + 1, in.height) - from);
    if (rows <= 0) return;
    make_values(from + rows + 1);
    std::array<const float*, kGroup + 2> sources{};
    for (int i = 0; i < rows + 2; ++i) sources[static_cast<std::size_t>(i)] = value_or_zeros(from - 1 + i);
    kernels::Depthwise d;
    d.weights = position_[0].data();
    d.channels = channels_;
    d.rows = sources.data();
    d.pitch = d.out_pitch = in.pitch;
    d.pixels = in.pixels();
    d.out_rows = rows;
    d.activation = kernels::Activation::gelu;
    d.out = filtered_row(from);
    d.out_row_step = step;
    own.times.measure(Kernel::depthwise, [&] { kernels::depthwise(d); });
  };

  make_filtered(first - 1);
  for (int y = first; y < last; y += kGroup) {
    make_filtered(y - 1 + kGroup);
    const int rows = std::min(kGroup, last - y);
    std::array<const float*, kGroup + 2> sources{};
    for (int tile = 0; tile < in.width; tile += kTile) {
      const auto pixels = static_cast<std::size_t>(std::min(kTile, in.width - tile));
      own.times.measure(Kernel::mix, [&] {  // before anything is written: the guide may be there
        for (int r = 0; r < rows; ++r) {
          kernels::multiply(value_row(y + r) + tile, in.pitch, guide.row(y + r) + tile, guide.pitch, channels_, pixels,
                            guided + static_cast<std::size_t>(r) * c * kTile, kTile);
        }
      });
      for (int i = 0; i < rows + 2; ++i) sources[static_cast<std::size_t>(i)] = filtered_or_zeros(y - 1 + i) + tile;
      kernels::Depthwise d;
      d.weights = position_[1].data();
      d.channels = channels_;
      d.rows = sources.data();
      d.pitch = in.pitch;
      d.pixels = pixels;
      d.out_rows = rows;
      d.residual = in.row(y) + tile;
      d.residual_pitch = in.pitch;
      d.residual_row_step = in.row_step;
      d.out = out.row(y) + tile;
      d.out_pitch = out.pitch;
      d.out_row_step = out.row_step;
      own.times.measure(Kernel::depthwise, [&] { kernels::depthwise(d); });
      own.times.measure(Kernel::attend, [&] {
        for (int r = 0; r < rows; ++r) {
          const float* tap = guided + static_cast<std::size_t>(r) * c * kTile;
          kernels::RowProduct p;
          p.weights = packed;
          p.outputs = p.depth = channels_;
          p.tap_count = 1;
          p.taps = &tap;
          p.pitch = kTile;
          p.pixels = pixels;
          p.bias = bias_.data();
          p.residual = p.out = out.row(y + r) + tile;
          p.residual_pitch = p.out_pitch = out.pitch;
          kernels::row_product(p);
        }
      });
    }
  }
}

}  // namespace snapcube::engine
