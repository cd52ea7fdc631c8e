#pragma once
// Runs a check on every SIMD target that this build has and this machine can run.

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

namespace snapcube::testing {

template <typename Check>
void on_every_target(Check&& check) {
#ifdef HWY_COMPILE_ONLY_STATIC  // a cross build without Highway's library: the one target there is
  check();
#else
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
#endif
}

}  // namespace snapcube::testing
