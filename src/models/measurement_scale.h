#pragma once

namespace snapcube {

/// What the maximum of a capture in arbitrary units becomes before a network sees it (MeasurementScale::max), in
/// training and afterwards.
inline constexpr float kScaledMaximum = 0.8f;

}  // namespace snapcube
