#include "calibration/mask_window.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace snapcube {

namespace {

/// Means of so many neighbours tell lit from dark; the edge itself is found in the line as it is.
constexpr int kReach = 3;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// First and one past the last of the longest lit stretch.
std::pair<int, int> lit_stretch(const std::vector<double>& line) {
  const int n = static_cast<int>(line.size());
  std::vector<double> mean(line.size());
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    int count = 0;
    for (int k = std::max(0, i - kReach); k <= std::min(n - 1, i + kReach); ++k, ++count)
      sum += line[static_cast<std::size_t>(k)];
    mean[static_cast<std::size_t>(i)] = sum / count;
  }
  const double most = std::ranges::max(mean);
  if (!(most > 0)) return {0, 0};
  std::vector<double> lit;
  for (const double v : mean) {
    if (v > 0.5 * most) lit.push_back(v);
  }
  const double half = 0.5 * median(lit);
  std::pair<int, int> longest{0, 0};
  for (int begin = 0; begin < n;) {
    int end = begin;
    while (end < n && mean[static_cast<std::size_t>(end)] > half) ++end;
    if (end - begin > longest.second - longest.first) longest = {begin, end};
    begin = std::max(end, begin + 1);
  }
  // The means are lit a little too early; of the line itself the first lit one near by is the edge.
  auto [begin, end] = longest;
  const int inner = std::min(kReach, (end - begin) / 2);
  int first = std::max(0, begin - kReach);
  while (first < begin + inner && line[static_cast<std::size_t>(first)] <= half) ++first;
  int last = std::min(n, end + kReach);
  while (last > end - inner && line[static_cast<std::size_t>(last - 1)] <= half) --last;
  return {first, last};
}

}  // namespace

Region lit_window(const Image& light) {
  std::vector<double> rows(static_cast<std::size_t>(light.height()));
  for (int y = 0; y < light.height(); ++y) {
    for (int x = 0; x < light.width(); ++x) rows[static_cast<std::size_t>(y)] += light(y, x);
  }
  const auto [top, bottom] = lit_stretch(rows);
  std::vector<double> columns(static_cast<std::size_t>(light.width()));
  for (int y = top; y < bottom; ++y) {
    for (int x = 0; x < light.width(); ++x) columns[static_cast<std::size_t>(x)] += light(y, x);
  }
  const auto [left, right] = lit_stretch(columns);
  return {top, left, bottom - top, right - left};
}

}  // namespace snapcube
