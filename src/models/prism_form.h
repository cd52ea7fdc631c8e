#pragma once
// What Prism is made of (docs/prism.md).

#include <array>
#include <string_view>

namespace snapcube {

struct PrismForm {
  const char* name;
  const char* title;
  int stages;
};
inline constexpr std::array kPrismForms = {PrismForm{"prism-s", "Prism-S", 4}, PrismForm{"prism-m", "Prism-M", 8}};
constexpr const PrismForm* find_prism_form(std::string_view name) {
  for (const PrismForm& form : kPrismForms) {
    if (name == form.name) return &form;
  }
  return nullptr;
}

/// Levels of a stage's denoiser, at full, half and quarter resolution; level l has channels << l of them.
inline constexpr int kPrismLevels = 3;
/// Residual blocks at each level on the way down, the last level's being the bottleneck, and on the way up.
inline constexpr std::array<int, kPrismLevels> kPrismBlocksDown = {1, 1, 2};
inline constexpr std::array<int, kPrismLevels - 1> kPrismBlocksUp = {1, 1};
/// What a stage sees of each channel: the cube behind the data step and before it, the share of a detector pixel's
/// information, the smeared measurement, and the features of the stage before. The first has neither the second nor the
/// last.
inline constexpr int kPrismInputs = 5;
inline constexpr int kPrismFirstInputs = 3;
/// η and μ (as a part of the mean of ΦΦᵀ's diagonal) at the start.
inline constexpr double kPrismEta = 1.0;
inline constexpr double kPrismMu = 0.05;
/// Weight of the stages before the last in the loss, and of the expected error.
inline constexpr double kPrismEarlierLoss = 0.3;
inline constexpr double kPrismErrorLoss = 0.1;

}  // namespace snapcube
