#pragma once
// What HSSP and DNU have in common.

namespace snapcube {

inline constexpr int kUnrolledStages = 11;
inline constexpr int kUnrolledWidth = 64;  ///< channels inside the local prior
inline constexpr double kUnrolledDelta = 0.04;
inline constexpr double kUnrolledEta = 0.8;
inline constexpr double kUnrolledOmega = 0.95;

}  // namespace snapcube
