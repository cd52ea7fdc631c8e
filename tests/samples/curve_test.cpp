#include "samples/curve.h"

#include <filesystem>
#include <fstream>

#include "support.h"

namespace snapcube {
namespace {

TEST(Curve, CountsTheHoursOfAllCoresOverResumedRuns) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path log = folder / "log.jsonl";
  std::ofstream(log) << R"({"step":0,"started":{"ranks":1,"threads":2,"device":"cpu"}}
{"step":100,"psnr":20,"seconds_per_step":3.6}
{"step":100,"validation":{"psnr":21}}
not a line of the log
{"step":200,"psnr":22,"seconds_per_step":3.6}
{"step":100,"started":{"ranks":2,"threads":1,"device":"cpu"}}
{"step":150,"psnr":23,"seconds_per_step":7.2}
{"step":150,"validation":{"psnr":24}}
)";
  const Course course = read_course(log);
  ASSERT_EQ(course.batches.size(), 3u);
  EXPECT_DOUBLE_EQ(course.batches[0].core_hours, 0.2);  // 100 steps of 3.6 s on two threads
  EXPECT_DOUBLE_EQ(course.batches[1].core_hours, 0.4);
  EXPECT_DOUBLE_EQ(course.batches[2].core_hours, 0.6);  // the lost steps count; 50 of 7.2 s on two ranks
  EXPECT_EQ(course.batches[2].step, 150);
  EXPECT_EQ(course.batches[2].psnr, 23);
  ASSERT_EQ(course.validations.size(), 2u);
  EXPECT_DOUBLE_EQ(course.validations[1].core_hours, 0.6);
  EXPECT_EQ(course.validations[1].psnr, 24);

  write_curves(log, log.parent_path());
  EXPECT_GT(std::filesystem::file_size(log.parent_path() / "curve.png"), 1000u);
  EXPECT_GT(std::filesystem::file_size(log.parent_path() / "curve_hours.png"), 1000u);
}

}  // namespace
}  // namespace snapcube
