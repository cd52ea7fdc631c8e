#include "render/terminal_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

#include "render/canvas.h"

namespace snapcube {

namespace {

using Pixel = std::array<int, 3>;

Pixel pixel(const Picture& picture, int y, int x) {
  const std::uint8_t* p = picture.rgb.data() + 3 * (static_cast<std::size_t>(y) * picture.width + x);
  return {p[0], p[1], p[2]};
}

/// The nearest of the cube of 6 × 6 × 6 colours of a terminal of 256.
int palette_index(const Pixel& colour) {
  constexpr std::array<int, 6> kLevels = {0, 95, 135, 175, 215, 255};
  int index = 0;
  for (const int v : colour) {
    const auto nearest = std::ranges::min_element(kLevels, {}, [v](int level) { return std::abs(level - v); });
    index = 6 * index + static_cast<int>(nearest - kLevels.begin());
  }
  return 16 + index;
}

/// `plane` is 38 for the character, 48 for what is behind it.
std::string colour_code(int plane, const Pixel& colour, bool true_colour) {
  if (true_colour) return fmt::format("\x1b[{};2;{};{};{}m", plane, colour[0], colour[1], colour[2]);
  return fmt::format("\x1b[{};5;{}m", plane, palette_index(colour));
}

constexpr const char* kPlain = "\x1b[0m";

double decode_srgb(int byte) {
  const double v = byte / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

// Sixels.

constexpr std::array<int, 3> kSteps = {6, 7, 6};

struct Quantised {
  std::vector<int> indices;
  std::vector<bool> used;
};

/// Floyd and Steinberg's error diffusion onto evenly spaced levels.
Quantised quantise(const Picture& picture) {
  const auto width = static_cast<std::size_t>(picture.width);
  Quantised result;
  result.indices.resize(width * static_cast<std::size_t>(picture.height));
  result.used.resize(static_cast<std::size_t>(kSteps[0]) * kSteps[1] * kSteps[2]);
  std::vector<std::array<double, 3>> row(width + 2);
  std::vector<std::array<double, 3>> next(width + 2);
  for (int y = 0; y < picture.height; ++y) {
    for (auto& error : next) error = {};
    for (std::size_t x = 0; x < width; ++x) {
      const Pixel wanted = pixel(picture, y, static_cast<int>(x));
      int index = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const int most = kSteps[k] - 1;
        const double value = wanted[k] + row[x + 1][k];
        const int level = std::clamp(static_cast<int>(std::lround(value / 255 * most)), 0, most);
        const double error = value - 255.0 * level / most;
        row[x + 2][k] += error * 7 / 16;
        next[x][k] += error * 3 / 16;
        next[x + 1][k] += error * 5 / 16;
        next[x + 2][k] += error * 1 / 16;
        index = kSteps[k] * index + level;
      }
      result.indices[static_cast<std::size_t>(y) * width + x] = index;
      result.used[static_cast<std::size_t>(index)] = true;
    }
    std::swap(row, next);
  }
  return result;
}

/// A run of equal sixels: "!12?" is shorter than twelve of them.
void append_run(std::string& text, char sixel, int count) {
  if (count > 3) {
    text += fmt::format("!{}{}", count, sixel);
  } else {
    text.append(static_cast<std::size_t>(count), sixel);
  }
}

}  // namespace

std::string half_block_text(const Picture& picture, bool true_colour) {
  std::string text;
  for (int y = 0; y < picture.height; y += 2) {
    for (int x = 0; x < picture.width; ++x) {
      text += colour_code(38, pixel(picture, y, x), true_colour);
      if (y + 1 < picture.height) text += colour_code(48, pixel(picture, y + 1, x), true_colour);
      text += "▀";
    }
    text += kPlain;
    text += "\n";
  }
  return text;
}

std::string sixel_text(const Picture& picture) {
  const Quantised q = quantise(picture);
  std::string text = fmt::format("\x1bP0;1q\"1;1;{};{}", picture.width, picture.height);
  for (std::size_t c = 0; c < q.used.size(); ++c) {
    if (!q.used[c]) continue;
    const int index = static_cast<int>(c);
    const std::array<int, 3> level = {index / (kSteps[1] * kSteps[2]), index / kSteps[2] % kSteps[1],
                                      index % kSteps[2]};
    text += fmt::format("#{};2", index);
    for (std::size_t k = 0; k < 3; ++k) text += fmt::format(";{}", std::lround(100.0 * level[k] / (kSteps[k] - 1)));
  }
  for (int top = 0; top < picture.height; top += 6) {
    for (std::size_t c = 0; c < q.used.size(); ++c) {
      if (!q.used[c]) continue;
      std::string line;
      char before = 0;
      int count = 0;
      bool any = false;
      for (int x = 0; x < picture.width; ++x) {
        int bits = 0;
        for (int k = 0; k < 6 && top + k < picture.height; ++k) {
          const std::size_t at = static_cast<std::size_t>(top + k) * picture.width + x;
          bits |= static_cast<int>(q.indices[at] == static_cast<int>(c)) << k;
        }
        any = any || bits != 0;
        const char sixel = static_cast<char>('?' + bits);
        if (sixel != before) {
          append_run(line, before, count);
          count = 0;
        }
        before = sixel;
        ++count;
      }
      append_run(line, before, count);
      if (any) text += fmt::format("#{}{}$", c, line);
    }
    text += '-';
  }
  return text + "\x1b\\\n";
}

std::string bar_text(const std::vector<double>& values, const std::vector<Triple>& colours, int rows, int width,
                     bool true_colour) {
  constexpr std::array kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double most = 0;
  for (const double v : values) most = std::max(most, v);
  std::string text;
  for (int r = rows - 1; r >= 0; --r) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double height = most > 0 ? std::max(values[i], 0.0) / most * rows : 0;
      const int eighths = std::clamp(static_cast<int>(std::lround(8 * (height - r))), 0, 8);
      Pixel colour{};
      for (std::size_t k = 0; k < 3; ++k) colour[k] = static_cast<int>(std::lround(255 * colours[i][k]));
      text += colour_code(38, colour, true_colour);
      for (int k = 0; k < width; ++k) text += kBlocks[static_cast<std::size_t>(eighths)];
    }
    text += kPlain;
    text += "\n";
  }
  return text;
}

Picture shrunk(const Picture& picture, int height, int width) {
  const double scale =
      std::min({1.0, static_cast<double>(height) / picture.height, static_cast<double>(width) / picture.width});
  const int to_height = std::max(static_cast<int>(std::lround(scale * picture.height)), 1);
  const int to_width = std::max(static_cast<int>(std::lround(scale * picture.width)), 1);
  LinearColour colour{Image(picture.height, picture.width), Image(picture.height, picture.width),
                      Image(picture.height, picture.width)};
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const Pixel p = pixel(picture, y, x);
      for (std::size_t k = 0; k < 3; ++k) colour[k](y, x) = static_cast<float>(decode_srgb(p[k]));
    }
  }
  return encode(resize_area(colour, to_height, to_width), 1);
}

}  // namespace snapcube
