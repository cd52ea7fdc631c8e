#include "samples/progress.h"

#include "base/terminal.h"
#include "support.h"

namespace snapcube {
namespace {

TEST(DurationText, FromMillisecondsToDays) {
  EXPECT_EQ(duration_text(0.02), "20 ms");
  EXPECT_EQ(duration_text(0.4), "0.4 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
  EXPECT_EQ(duration_text(3 * 86400 + 4 * 3600), "3 d 04 h");
  EXPECT_EQ(duration_text(1e30), "11574074074 d 01 h");
}

TEST(FirstCharacters, NeverCutsACharacter) {
  EXPECT_EQ(first_characters("a·b", 0), "");
  EXPECT_EQ(first_characters("a·b", 1), "a");
  EXPECT_EQ(first_characters("a·b", 2), "a·");
  EXPECT_EQ(first_characters("a·b", 3), "a·b");
  EXPECT_EQ(first_characters("a·b", 9), "a·b");
}

TEST(Progress, Text) {
  TrainingState state;
  state.step = 1200;
  state.steps = 500000;
  state.loss = 0.03124;
  state.samples_per_second = 3.14;
  state.seconds_left = 11400;
  state.waiting = 0.004;
  EXPECT_EQ(progress_text(state), "step 1200/500000 · loss 0.0312 · 3.1 samples/s · 3 h 10 min left · 0.4 % waiting");
  state.psnr = 31.416;
  EXPECT_NE(progress_text(state).find(" · loss 0.0312 · 31.42 dB · 3.1 samples/s"), std::string::npos);
}

TEST(TrainingMeter, MeansAndRates) {
  TrainingMeter meter(10, 20, 6);
  meter.add_step(1, 2, 0);
  meter.add_step(3, 4, 0.6);
  const TrainingState& state = meter.state();
  EXPECT_EQ(state.step, 12);
  EXPECT_DOUBLE_EQ(state.loss, 2);
  EXPECT_DOUBLE_EQ(state.samples_per_second, 2);  // 12 samples in 6 s
  EXPECT_DOUBLE_EQ(state.seconds_left, 24);       // 8 steps of 3 s
  EXPECT_DOUBLE_EQ(state.waiting, 0.1);
  EXPECT_FALSE(state.psnr);
}

TEST(TrainingMeter, ForgetsOldSteps) {
  TrainingMeter meter(0, 1000, 1);
  for (int i = 0; i < 500; ++i) meter.add_step(9, 10, 10);
  for (int i = 0; i < 100; ++i) meter.add_step(1, 1, 0);
  EXPECT_DOUBLE_EQ(meter.state().loss, 1);
  EXPECT_DOUBLE_EQ(meter.state().seconds_left, 400);
  EXPECT_DOUBLE_EQ(meter.state().waiting, 0);
}

TEST(TrainingLine, SilentWithoutATerminal) {
  if (::isatty(STDERR_FILENO) == 1) GTEST_SKIP() << "standard error is a terminal";
  ::testing::internal::CaptureStderr();
  TrainingLine().show({});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace snapcube
