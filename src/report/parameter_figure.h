#pragma once
// What the parameters of a network are worth: PSNR over each of them, a circle as wide as the network is costly.

#include <string>
#include <vector>

namespace snapcube {

struct ParameterPoint {
  double value;
  double psnr;
  double operations;  ///< thousand millions
};

struct ParameterPanel {
  std::string symbol;
  std::vector<ParameterPoint> points;  ///< values ascending
};

/// One panel beside the other, all with the same axis of decibels. Values stand at equal distances.
std::string parameter_figure(const std::vector<ParameterPanel>& panels);

}  // namespace snapcube
