// The figure of an ablation's parameters, and plots as files of their own.

#include "report/parameter_figure.h"

#include "report/svg.h"
#include "support.h"

namespace snapcube {
namespace {

TEST(ParameterFigure, CirclesStandAtTheirDecibelsAndAreAsWideAsTheCost) {
  const std::string svg = parameter_figure({{"σ", {{0, 31, 20}, {0.5, 30, 10}}}, {"R", {{1, 30.5, 5}}}});
  // Decibels from 29.8 to 31.2 on 238 pixels that end 62 above the bottom; panels of 250 pixels from 64 on.
  testing::expect_contains(svg, "<circle cx=\"147.3\" cy=\"64.0\" r=\"20.0\"");
  testing::expect_contains(svg, "<circle cx=\"230.7\" cy=\"234.0\" r=\"10.0\"");
  testing::expect_contains(svg, "<circle cx=\"439.0\" cy=\"149.0\" r=\"5.0\"");
  testing::expect_contains(svg, ">0.5</text>");
  testing::expect_contains(svg, ">σ</text>");
  EXPECT_EQ(parameter_figure({}), "");
}

TEST(PlotFile, StandsAlone) {
  const std::string file = plot_file("<svg class=\"plot\" viewBox=\"0 0 1 2\"><path class=\"rule\"/></svg>");
  EXPECT_TRUE(
      file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 1 2\">\n<style>"));
  testing::expect_contains(file, ".plot .rule {");
  EXPECT_TRUE(file.ends_with("<path class=\"rule\"/></svg>\n"));
  EXPECT_EQ(plot_file(""), "");
}

}  // namespace
}  // namespace snapcube
