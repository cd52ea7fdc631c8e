#include "samples/lamp_list.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include <snapcube/error.h>

namespace snapcube {
namespace {

class LampTable : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string refusal(const std::string& text) {
    try {
      LampList(file(text), {450, 500});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  ~LampTable() override { std::filesystem::remove(path_); }

 private:
  std::string path_ = testing::TempDir() + "lamps.csv";
};

/// Planck's law in other words than the program's.
double daylight(double nm) { return std::pow(nm, -5) / (std::exp(14'388'000.0 / (nm * 6500)) - 1); }

TEST_F(LampTable, LampsAreRelativeToDaylightAndInterpolated) {
  const LampList lamps(file("name,400,450,500,550\n\nflat,1,1,1,1\nramp,,2,4,6\npart,1,,1,1\ndark,0,0,0,0\n"),
                       {450, 525});
  ASSERT_EQ(lamps.size(), 2u);
  EXPECT_EQ(lamps.name(1), "ramp");
  EXPECT_NEAR(lamps.spectrum(0)[0] / lamps.spectrum(0)[1], daylight(525) / daylight(450), 1e-6);
  EXPECT_NEAR(lamps.spectrum(1)[0] / lamps.spectrum(1)[1], 2.0 / 5.0 * daylight(525) / daylight(450), 1e-6);
  EXPECT_EQ(lamps.spectrum(1)[1], 1);
  Random random(1);
  const auto& drawn = lamps.draw(random);
  EXPECT_TRUE(&drawn == &lamps.spectrum(0) || &drawn == &lamps.spectrum(1));
}

TEST_F(LampTable, RefusesWhatIsNoTable) {
  EXPECT_NE(refusal("name,400,x\n").find("line 1, column 3"), std::string::npos);
  EXPECT_NE(refusal("name,500,400\n").find("rising"), std::string::npos);
  EXPECT_NE(refusal("name,400,500\na,1\n").find("a name and 2 values"), std::string::npos);
  EXPECT_NE(refusal("name,400,500\na,1,-1\n").find("line 2, column 3"), std::string::npos);
  EXPECT_NE(refusal("name,400,500\na,1,nan\n").find("at least 0"), std::string::npos);
  EXPECT_NE(refusal("name,400,490\na,1,1\n").find("measured at all 2 wavelengths"), std::string::npos);
  EXPECT_NE(refusal("").find("measured at all"), std::string::npos);
  EXPECT_NE(refusal("name\n").find("wavelengths in nm"), std::string::npos);
}

}  // namespace
}  // namespace snapcube
