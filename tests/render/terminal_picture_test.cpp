#include "render/terminal_picture.h"

#include <cmath>
#include <map>

#include "support.h"

namespace snapcube {
namespace {

Picture pattern(int height, int width) {
  Picture picture(height, width);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::uint8_t* p = picture.rgb.data() + 3 * (y * width + x);
      p[0] = static_cast<std::uint8_t>(255 * x / std::max(width - 1, 1));
      p[1] = static_cast<std::uint8_t>(255 * y / std::max(height - 1, 1));
      p[2] = 128;
    }
  }
  return picture;
}

TEST(HalfBlocks, HoldTwoPixelsEach) {
  Picture picture(3, 1);
  picture.rgb = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(half_block_text(picture, true),
            "\x1b[38;2;1;2;3m\x1b[48;2;4;5;6m▀\x1b[0m\n"
            "\x1b[38;2;7;8;9m▀\x1b[0m\n");
}

TEST(HalfBlocks, MakeDoWith256Colours) {
  Picture picture(2, 1);
  picture.rgb = {255, 0, 0, 100, 100, 100};
  // 16 + 36·5 = 196; the level 95 of all three: 16 + 36 + 6 + 1 = 59
  EXPECT_EQ(half_block_text(picture, false), "\x1b[38;5;196m\x1b[48;5;59m▀\x1b[0m\n");
}

/// What a terminal makes of sixels: pixels in percent, by DEC's description of the format.
std::map<std::pair<int, int>, std::array<int, 3>> decode(const std::string& text, int& width, int& height) {
  std::map<std::pair<int, int>, std::array<int, 3>> pixels;
  std::map<int, std::array<int, 3>> registers;
  std::size_t at = text.find('q') + 1;
  const auto number = [&] {
    int n = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) n = 10 * n + (text[at++] - '0');
    return n;
  };
  int x = 0, top = 0, colour = -1;
  const auto put = [&](char c, int count) {
    for (int i = 0; i < count; ++i, ++x) {
      for (int k = 0; k < 6; ++k) {
        if ((c - '?') >> k & 1) pixels[{top + k, x}] = registers.at(colour);
      }
    }
  };
  while (at < text.size() && text[at] != '\x1b') {
    const char c = text[at++];
    if (c == '"') {
      number(), ++at, number(), ++at;
      width = number();
      ++at;
      height = number();
    } else if (c == '#') {
      colour = number();
      if (text[at] == ';') {
        ++at;
        EXPECT_EQ(number(), 2) << "RGB";
        std::array<int, 3> value{};
        for (int& v : value) ++at, v = number();
        registers[colour] = value;
      }
    } else if (c == '!') {
      const int count = number();
      put(text[at++], count);
    } else if (c == '$') {
      x = 0;
    } else if (c == '-') {
      x = 0;
      top += 6;
    } else {
      put(c, 1);
    }
  }
  return pixels;
}

TEST(Sixels, ComeOutAsThePicture) {
  for (const auto& [h, w] : {std::pair{1, 1}, {6, 5}, {13, 127}, {32, 40}}) {
    const Picture picture = pattern(h, w);
    const std::string text = sixel_text(picture);
    EXPECT_TRUE(text.starts_with("\x1bP0;1q"));
    EXPECT_TRUE(text.ends_with("\x1b\\\n"));
    int width = 0, height = 0;
    const auto pixels = decode(text, width, height);
    EXPECT_EQ(width, w);
    EXPECT_EQ(height, h);
    ASSERT_EQ(pixels.size(), static_cast<std::size_t>(h) * w) << "every pixel once";
    // Diffusion keeps the mean of each channel.
    std::array<double, 3> wanted{}, found{};
    for (const auto& [place, colour] : pixels) {
      const std::uint8_t* p = picture.rgb.data() + 3 * (place.first * w + place.second);
      for (std::size_t k = 0; k < 3; ++k) {
        wanted[k] += p[k] / 255.0 / (h * w);
        found[k] += colour[k] / 100.0 / (h * w);
        EXPECT_LE(std::abs(p[k] / 255.0 - colour[k] / 100.0), 0.25);
      }
    }
    if (h > 10) {
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], wanted[k], 0.02);
    }
  }
}

TEST(Bars, AreAsHighAsTheirValues) {
  const std::string text = bar_text({1, 0.5, 0.25, 0, -1}, std::vector<Triple>(5, {0, 0, 0}), 2, 1, true);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (text[i] != 'm') ++i;
    } else {
      plain += text[i];
    }
  }
  EXPECT_EQ(plain, "█    \n██▄  \n");
  EXPECT_EQ(bar_text({0}, {{0, 0, 0}}, 1, 3, false), "\x1b[38;5;16m   \x1b[0m\n");
}

TEST(Shrunk, FitsAndNeverEnlarges) {
  EXPECT_EQ(shrunk(pattern(10, 20), 100, 100).width, 20);
  const Picture half = shrunk(pattern(10, 20), 100, 10);
  EXPECT_EQ(half.width, 10);
  EXPECT_EQ(half.height, 5);
  EXPECT_EQ(shrunk(pattern(1, 1000), 10, 10).height, 1);
  // Light is averaged, not its code: black and white give 188.
  Picture two(1, 2);
  two.rgb = {0, 0, 0, 255, 255, 255};
  EXPECT_EQ(shrunk(two, 1, 1).rgb, (std::vector<std::uint8_t>{188, 188, 188}));
}

}  // namespace
}  // namespace snapcube
