#pragma once
// What a decibel costs: PSNR over operations, one circle a method, the circle as large as its parameters are many.

#include <string>

#include "report/score_table.h"

namespace snapcube {

/// Of the methods with a mean over all scenes and a known number of operations; empty when these are fewer than two.
/// Sizes of one network (CST-S, CST-M, …) are joined by a line.
std::string cost_figure(const ScoreTable& table);

}  // namespace snapcube
