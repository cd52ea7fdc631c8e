#include "draw/stroke_font.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace snapcube {
namespace {

const std::u32string kSigns = U"λ°×–·µμ²≥";

/// A glyph as text, to compare.
std::string trace(const Glyph& glyph) {
  std::string text;
  for (const auto& stroke : glyph.strokes) {
    for (const Point& p : stroke) text += std::to_string(p.x) + "," + std::to_string(p.y) + " ";
    text += ";";
  }
  return text;
}

TEST(StrokeFont, HasEveryCharacterAndNoTwoLookAlike) {
  std::u32string all = kSigns;
  for (char32_t c = 33; c < 127; ++c) all.push_back(c);
  std::set<std::string> traces = {trace(glyph_of(0xFFFD))};
  for (const char32_t c : all) {
    if (c == U'μ') continue;  // the Greek letter is drawn as the micro sign
    EXPECT_TRUE(traces.insert(trace(glyph_of(c))).second) << static_cast<unsigned>(c);
  }
  EXPECT_TRUE(glyph_of(' ').strokes.empty());
  EXPECT_GT(glyph_of(' ').advance, 2);
  EXPECT_EQ(trace(glyph_of(U'猫')), trace(glyph_of(0xFFFD)));
}

TEST(StrokeFont, GlyphsStayInTheirBox) {
  for (char32_t c = 33; c < 127; ++c) {
    const Glyph& glyph = glyph_of(c);
    for (const auto& stroke : glyph.strokes) {
      EXPECT_FALSE(stroke.empty());
      for (const Point& p : stroke) {
        EXPECT_GE(p.x, -0.9) << static_cast<char>(c);
        EXPECT_LE(p.x, glyph.advance - 1.5) << static_cast<char>(c);
        EXPECT_GE(p.y, -5.3) << static_cast<char>(c);
        EXPECT_LE(p.y, 11.5) << static_cast<char>(c);
      }
    }
  }
}

TEST(StrokeFont, DigitsAreEquallyWide) {
  for (char c = '1'; c <= '9'; ++c) EXPECT_EQ(glyph_of(static_cast<char32_t>(c)).advance, glyph_of('0').advance);
  EXPECT_LT(glyph_of('i').advance, glyph_of('m').advance / 2);
}

TEST(StrokeFont, DecodesUtf8) {
  EXPECT_EQ(decode_utf8("aλ–≥\xF0\x9F\x98\x80"), U"aλ–≥\U0001F600");
  EXPECT_EQ(decode_utf8(""), U"");
}

TEST(StrokeFont, BadUtf8BecomesBoxes) {
  const std::u32string box = U"\uFFFD";
  EXPECT_EQ(decode_utf8("a\xFF"
                        "b"),
            U"a" + box + U"b");
  EXPECT_EQ(decode_utf8("\xCE"), box);                                // cut short
  EXPECT_EQ(decode_utf8("\xE2\x80"), box + box);                      // cut short
  EXPECT_EQ(decode_utf8("\x80z"), box + U"z");                        // continuation without a lead
  EXPECT_EQ(decode_utf8("\xC0\xAF"), box + box);                      // overlong
  EXPECT_EQ(decode_utf8("\xE0\x80\xAF"), box + box + box);            // overlong
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), box + box + box);            // surrogate
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80"), box + box + box + box);  // above U+10FFFF
  EXPECT_EQ(decode_utf8(std::string_view("\0", 1)), std::u32string(1, U'\0'));
}

TEST(StrokeFont, TextWidthAddsUpAndScales) {
  const TextStyle small = {.size = 12, .fit_to_pixels = false};
  const TextStyle large = {.size = 24, .fit_to_pixels = false};
  EXPECT_NEAR(text_width("Snapcube λ", large), 2 * text_width("Snapcube λ", small), 1e-9);
  const TextStyle fitted = {.size = 12};
  EXPECT_EQ(text_width("ab", fitted), text_width("a", fitted) + text_width("b", fitted));
  EXPECT_NEAR(text_width("Reconstruction", fitted), text_width("Reconstruction", small), 7);
  EXPECT_EQ(text_width("", fitted), 0);
}

}  // namespace
}  // namespace snapcube
