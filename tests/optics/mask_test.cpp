#include <algorithm>
#include <cmath>
#include <limits>

#include <snapcube/error.h>
#include <snapcube/mask.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using Findings = std::vector<std::string>;

Image good_mask() { return random_mask(64, 48, MaskKind::binary, 0.5, 1); }

TEST(RandomMask, BinaryHasItsDensity) {
  for (const double density : {0.01, 0.3, 0.5, 0.9}) {
    const Image mask = random_mask(300, 400, MaskKind::binary, density, 3);
    double open = 0;
    for (const float v : mask.values()) {
      ASSERT_TRUE(v == 0 || v == 1);
      open += v;
    }
    const auto n = static_cast<double>(mask.size());
    EXPECT_NEAR(open / n, density, 5 * std::sqrt(density * (1 - density) / n));
  }
}

TEST(RandomMask, GreyHasItsDensityAndRange) {
  for (const double density : {0.01, 0.3, 0.5, 0.9}) {
    const Image mask = random_mask(300, 400, MaskKind::grey, density, 3);
    const MaskReport report = inspect_mask(mask);
    const double low = density > 0.5 ? 2 * density - 1 : 0;
    const double high = density > 0.5 ? 1 : 2 * density;
    const double deviation = (high - low) / std::sqrt(12.0);
    EXPECT_GE(report.minimum, low - 1e-7);
    EXPECT_LE(report.maximum, high + 1e-7);
    EXPECT_NEAR(report.mean, density, 5 * deviation / std::sqrt(300 * 400.0));
    EXPECT_NEAR(report.deviation, deviation, 0.01 * deviation);
  }
}

TEST(RandomMask, PixelsAreIndependent) {
  const Image mask = random_mask(200, 200, MaskKind::binary, 0.5, 3);
  double right = 0;
  double below = 0;
  for (int y = 0; y + 1 < 200; ++y) {
    for (int x = 0; x + 1 < 200; ++x) {
      right += (mask(y, x) - 0.5) * (mask(y, x + 1) - 0.5);
      below += (mask(y, x) - 0.5) * (mask(y + 1, x) - 0.5);
    }
  }
  EXPECT_LT(std::fabs(right), 5 * 0.25 * 199);
  EXPECT_LT(std::fabs(below), 5 * 0.25 * 199);
}

TEST(RandomMask, IsTheSameOnEveryMachine) {
  // First row of eight, from the generator's definition with Python integers.
  const Image binary = random_mask(1, 8, MaskKind::binary, 0.5, 42);
  const Image grey = random_mask(1, 8, MaskKind::grey, 0.75, 42);
  const float bits[] = {1, 1, 0, 0, 1, 1, 1, 0};
  const float values[] = {0.573306918f, 0.538026333f, 0.942851663f, 0.916674912f,
                          0.544647455f, 0.647235096f, 0.636552989f, 0.756715238f};
  for (int x = 0; x < 8; ++x) {
    EXPECT_EQ(binary(0, x), bits[x]);
    EXPECT_EQ(grey(0, x), values[x]);
  }
}

TEST(RandomMask, RefusesBadSizesAndDensities) {
  EXPECT_EQ(error_of<InputError>([] { random_mask(0, 5, MaskKind::grey, 0.5, 1); }),
            "random mask: size: expected at least 1×1, found 0×5");
  EXPECT_THROW(random_mask(5, -1, MaskKind::grey, 0.5, 1), InputError);
  for (const double density : {0.0, 1.0, -0.5, 1.5, double{NAN}}) {
    const std::string message = error_of<InputError>([&] { random_mask(5, 5, MaskKind::binary, density, 1); });
    EXPECT_EQ(message.find("random mask: density: expected a number between 0 and 1, found "), 0u) << message;
  }
}

TEST(InspectMask, NothingToSayAboutGoodMasks) {
  for (const MaskKind kind : {MaskKind::binary, MaskKind::grey}) {
    const MaskReport report = inspect_mask(random_mask(64, 48, kind, 0.5, 1));
    EXPECT_TRUE(report.usable);
    EXPECT_EQ(report.findings, Findings{});
    EXPECT_EQ(report.binary, kind == MaskKind::binary);
  }
}

TEST(InspectMask, Statistics) {
  Image mask(2, 2);
  mask(0, 0) = 0.25f;
  mask(0, 1) = 0.5f;
  mask(1, 0) = 1.0f;
  mask(1, 1) = 0.25f;
  const MaskReport report = inspect_mask(mask);
  EXPECT_EQ(report.minimum, 0.25);
  EXPECT_EQ(report.maximum, 1.0);
  EXPECT_EQ(report.mean, 0.5);
  EXPECT_NEAR(report.deviation, std::sqrt((0.0625 + 0 + 0.25 + 0.0625) / 4), 1e-15);
  EXPECT_EQ(report.open_share, 0.25);  // 0.5 is not above half of the maximum
  EXPECT_FALSE(report.binary);
}

TEST(InspectMask, UnusableMasks) {
  const auto findings = [](const Image& mask) {
    const MaskReport report = inspect_mask(mask);
    EXPECT_FALSE(report.usable);
    EXPECT_TRUE(std::isfinite(report.mean) && std::isfinite(report.minimum) && std::isfinite(report.maximum));
    return report.findings;
  };
  EXPECT_EQ(findings(Image()), Findings{"The mask is empty: it has no pixels."});
  EXPECT_EQ(findings(Image(3, 3, 0.0f)), Findings{"The mask is constant: every pixel is 0, no light passes."});
  EXPECT_EQ(findings(Image(3, 3, 1.0f)),
            Findings{"The mask is constant: every pixel is 1, and without a pattern the bands cannot be told apart."});
  EXPECT_EQ(
      findings(Image(3, 3, 0.5f)),
      Findings{"The mask is constant: every pixel is 0.5, and without a pattern the bands cannot be told apart."});
  EXPECT_EQ(findings(Image(1, 2, NAN)), Findings{"2 pixels are NaN or infinite."});

  Image mask = good_mask();
  mask(3, 4) = std::numeric_limits<float>::infinity();
  EXPECT_EQ(findings(mask), Findings{"1 pixel is NaN or infinite."});
  mask(3, 5) = -0.5f;
  EXPECT_EQ(findings(mask),
            (Findings{"1 pixel is NaN or infinite.",
                      "1 pixel is negative (the smallest is -0.5); a mask cannot pass less than no light."}));
}

TEST(InspectMask, UnusualMasks) {
  const auto findings = [](const Image& mask) {
    const MaskReport report = inspect_mask(mask);
    EXPECT_TRUE(report.usable);
    return report.findings;
  };
  Image mask = good_mask();
  for (float& v : mask.values()) v *= 255;
  EXPECT_EQ(findings(mask), Findings{"The largest value is 255, where 1 lets all light pass. It is likely 8-bit "
                                     "data: divide it by 255."});
  for (float& v : mask.values()) v *= 257;
  EXPECT_EQ(findings(mask), Findings{"The largest value is 65535, where 1 lets all light pass. It is likely "
                                     "16-bit data: divide it by 65535."});
  for (float& v : mask.values()) v *= 1.3f / 65535;
  EXPECT_EQ(findings(mask), Findings{"The largest value is 1.3, where 1 lets all light pass."});

  // Grey, and everything above 0.75 cut off.
  mask = random_mask(100, 100, MaskKind::grey, 0.5, 1);
  std::size_t clipped = 0;
  for (float& v : mask.values()) {
    clipped += v >= 0.75f;
    v = std::min(v, 0.75f);
  }
  const Findings saturated = findings(mask);
  ASSERT_EQ(saturated.size(), 1u);
  EXPECT_EQ(saturated[0].substr(saturated[0].find(' ')),
            " % of the pixels have exactly the largest value, 0.75: if the mask was measured, they "
            "may be saturated.");
  EXPECT_NEAR(std::stod(saturated[0]), static_cast<double>(clipped) / 100, 0.06);

  mask = Image(100, 100);
  for (int i = 0; i < 100; ++i) mask(i, i) = 1;
  EXPECT_EQ(findings(mask), Findings{"Very little light passes: 1 % of the pixels are open."});
  for (float& v : mask.values()) v = 1 - v;
  EXPECT_EQ(findings(mask), Findings{"The pattern is weak: 99 % of the pixels are open."});

  mask = good_mask();
  for (int x = 0; x < mask.width(); ++x) mask(7, x) = 0;
  for (int y = 0; y < mask.height(); ++y) mask(y, 9) = mask(y, 20) = 0;
  EXPECT_EQ(findings(mask), (Findings{"Row 7 is entirely dark.", "2 columns are entirely dark; the first is 9."}));
}

}  // namespace
}  // namespace snapcube
