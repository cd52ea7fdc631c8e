#pragma once
// The page of a calibration: verdict and doubts, positions with their fit, the mask, contrast and gains of the bands,
// the detector. One HTML file that needs nothing else.

#include <string>

#include <snapcube/calibration.h>

namespace snapcube {

std::string calibration_page(const Calibration& calibration, const std::string& title);

}  // namespace snapcube
