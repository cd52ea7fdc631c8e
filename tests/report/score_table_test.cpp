#include "report/score_table.h"

#include <cmath>

#include "support.h"

namespace snapcube {
namespace {

Scores scores(double psnr, double ssim) { return {psnr, ssim, 1, 2, 3, std::nan("")}; }

ScoreTable example() {
  ScoreTable table({{"A & <B>"}, {"CST_S", 0.25, 1.2, 11.67}}, {"s1", "s,2"}, Protocol::uint8);
  table.set(0, 0, scores(30.004, 0.9));
  table.set(0, 1, scores(20, 0.8));
  table.set(1, 0, scores(30.001, 0.95));
  table.set(1, 1, scores(40, 0.7));
  return table;
}

TEST(ScoreTable, MeansNeedAllScenes) {
  ScoreTable table({{"a"}}, {"x", "y"}, Protocol::toolbox);
  table.set(0, 0, scores(10, 0.5));
  EXPECT_FALSE(table.mean(0));
  table.set(0, 1, scores(20, 0.7));
  EXPECT_DOUBLE_EQ(table.mean(0)->psnr, 15);
  EXPECT_DOUBLE_EQ(table.mean(0)->ssim, 0.6);
}

TEST(ScoreTable, HtmlHasTheBestInBold) {
  const std::string html = example().html();
  // Both print 30.00, so that both are the best; SSIM has one.
  testing::expect_contains(html,
                           "<th scope=\"row\">A &amp; &lt;B&gt;</th><td>–</td><td>–</td><td>–</td>"
                           "<td><b>30.00</b><br>0.900</td><td>20.00<br><b>0.800</b></td>"
                           "<td class=\"mean\">25.00<br><b>0.850</b></td>");
  testing::expect_contains(html, "<td>1.20</td><td>11.67</td><td>0.25</td><td><b>30.00</b><br><b>0.950</b></td>");
  testing::expect_contains(html, "‘uint8’");
}

TEST(ScoreTable, LatexNeedsNoPackage) {
  EXPECT_EQ(example().latex(),
            "% PSNR (dB) over SSIM, 'uint8' protocol\n"
            "\\begin{tabular}{lcccccc}\n\\hline\n"
            "Method & Params (M) & FLOPs (G) & Time (s) & s1 & s,2 & Mean \\\\\n\\hline\n"
            "A \\& <B> & -- & -- & -- & \\textbf{30.00} & 20.00 & 25.00 \\\\\n"
            " & & & & 0.900 & \\textbf{0.800} & \\textbf{0.850} \\\\\n"
            "CST\\_S & 1.20 & 11.67 & 0.25 & \\textbf{30.00} & \\textbf{40.00} & \\textbf{35.00} \\\\\n"
            " & & & & \\textbf{0.950} & 0.700 & 0.825 \\\\\n"
            "\\hline\n\\end{tabular}\n");
}

TEST(ScoreTable, CsvHasALineForEachScore) {
  EXPECT_EQ(example().csv(),
            "method,scene,psnr,ssim,sam,ergas,rmse,uiqi,mean_seconds,parameters_millions,operations_billions,memory_mb,"
            "multiply_adds_billions\n"
            "A & <B>,s1,30.004,0.9,1,2,3,,,,,,\n"
            "A & <B>,\"s,2\",20,0.8,1,2,3,,,,,,\n"
            "A & <B>,mean,25.002,0.85,1,2,3,,,,,,\n"
            "CST_S,s1,30.001,0.95,1,2,3,,0.25,1.2,11.67,,\n"
            "CST_S,\"s,2\",40,0.7,1,2,3,,0.25,1.2,11.67,,\n"
            "CST_S,mean,35.0005,0.825,1,2,3,,0.25,1.2,11.67,,\n");
}

TEST(ScoreTable, MissingOnesAreDashes) {
  ScoreTable table({{"a"}, {"b"}}, {"x"}, Protocol::toolbox);
  table.set(0, 0, scores(10, std::nan("")));
  testing::expect_contains(table.html(), "<b>10.00</b><br>–");
  testing::expect_contains(table.html(), "<th scope=\"row\">b</th><td>–</td>");
  testing::expect_contains(table.latex(), "b & -- & -- \\\\\n & -- & -- \\\\\n");
  EXPECT_EQ(table.csv().find("\nb,"), std::string::npos);
}

TEST(ScoreTable, ASingleMethodIsNotTheBest) {
  ScoreTable table({{"a"}}, {"x"}, Protocol::toolbox);
  table.set(0, 0, scores(10, 0.5));
  EXPECT_EQ(table.html().find("<b>"), std::string::npos);
}

}  // namespace
}  // namespace snapcube
