#include "report/capture_table.h"

#include <cmath>

#include "support.h"

namespace snapcube {
namespace {

using testing::expect_contains;

TEST(CaptureTable, HasWhatWasMeasuredAndNoOtherColumn) {
  CaptureTable table({{.name = "A & B", .seconds = 1.5}, {.name = "C"}}, {"one", "two"});
  table.set(0, 0, 0.03, 1.0);
  table.set(0, 1, 0.05, 2.0);
  table.set(1, 0, 0.1, std::nullopt);
  table.set(1, 1, std::nan(""), std::nullopt);  // a black frame
  const std::string markdown = table.markdown();
  expect_contains(markdown, "| Method | Time (s) | one | two | Mean |\n|---|---|---|---|---|\n");
  expect_contains(markdown, "| A & B | 1.50 | 3.0 % | 5.0 % | 4.0 % |\n");
  expect_contains(markdown, "| C | – | 10.0 % | – | – |\n");
  EXPECT_EQ(markdown.find("PSNR"), std::string::npos);
  expect_contains(table.html(), "<th scope=\"row\">A &amp; B</th><td>1.50</td><td>3.0 %</td>");
  expect_contains(table.latex(), "A \\& B & 1.50 & 3.0 \\% & 5.0 \\% & 4.0 \\% \\\\");
  EXPECT_EQ(table.csv(), "method,capture,misfit,seconds\nA & B,one,0.03,1\nA & B,two,0.05,2\nC,one,0.1,\nC,two,,\n");
}

TEST(CaptureTable, OfNothingThereIsNone) {
  const CaptureTable table({{.name = "A"}, {.name = "B"}}, {"one"});
  EXPECT_EQ(table.html(), "");
  expect_contains(table.markdown(), "| Method |\n|---|\n| A |\n");
}

}  // namespace
}  // namespace snapcube
