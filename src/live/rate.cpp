#include "live/rate.h"

#include <algorithm>

namespace snapcube::live {

namespace {

constexpr std::size_t kMost = 100;
constexpr std::chrono::seconds kWindow{10};

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

void Rate::add(Clock::time_point arrived, Clock::time_point done) {
  last_.push_back({done, seconds(done - arrived)});
  while (last_.size() > kMost || last_.front().when < done - kWindow) last_.pop_front();
}

double Rate::per_second(Clock::time_point now) const {
  const auto first = std::ranges::find_if(last_, [&](const Done& d) { return d.when >= now - kWindow; });
  const auto count = std::distance(first, last_.end());
  if (count < 2) return 0;
  const double span = seconds(last_.back().when - first->when);
  // A pause that is longer than the usual time between two cubes makes it slower.
  const double since = std::max(0.0, seconds(now - last_.back().when) - span / static_cast<double>(count - 1));
  return span + since > 0 ? static_cast<double>(count - 1) / (span + since) : 0;
}

double Rate::latency() const {
  if (last_.empty()) return 0;
  std::vector<double> all;
  for (const Done& d : last_) all.push_back(d.latency);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

}  // namespace snapcube::live
