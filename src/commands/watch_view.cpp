#include "commands/watch_view.h"

#include <algorithm>
#include <utility>

namespace snapcube {

namespace {

Gallery& live(Gallery& gallery) {
  gallery.go_live();
  return gallery;
}

}  // namespace

WatchView::WatchView(int port, std::string method)
    : method_(std::move(method)), site_(live(gallery_), random_token()), server_(site_, port) {}

void WatchView::show(const Cube& cube, const Image& measurement, LiveState state) {
  Cube frame(1, measurement.height(), measurement.width());
  std::ranges::copy(measurement.values(), frame.data());
  std::vector<Gallery::Fresh> fresh;
  fresh.push_back({method_, Role::reconstruction, cube});
  fresh.push_back({"measurement", Role::measurement, std::move(frame)});
  gallery_.show(std::move(fresh), std::move(state));
}

}  // namespace snapcube
