// snapcube ablate as far as it goes without training.

#include <nlohmann/json.hpp>

#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::snapcube;

TEST(AblateList, ShowsOurCountsAndThePapers) {
  const auto text = snapcube("ablate attention --list");
  ASSERT_EQ(text.code, 0) << text.output;
  for (const char* part : {"baseline", "0.51 (0.51)", "6.40 (6.40)", "35.56 (35.58)", "24.98 (24.98)", "24.60 (24.60)"})
    EXPECT_TRUE(contains(text.output, part)) << part << "\n" << text.output;
  const auto json = nlohmann::json::parse(snapcube("ablate breakdown --list --json").output);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[2]["parameters"], 1'360'996);
  EXPECT_EQ(json[2]["paper"]["operations_billions"], 16.91);
  EXPECT_EQ(nlohmann::json::parse(snapcube("ablate parameters --list --json --rows window-32").output).size(), 1u);
}

TEST(AblateList, SaysWhatIsMissing) {
  const auto message = [](const std::string& arguments, const std::string& part) {
    const auto result = snapcube("ablate " + arguments);
    EXPECT_EQ(result.code, 2) << result.output;
    EXPECT_TRUE(contains(result.output, part)) << part << "\n" << result.output;
  };
  message("sums --list", "one of breakdown, sparsity, attention, scope, parameters");
  message("scope --rows local --list", "some of baseline, global, sah-msa");
  message("scope", "-o");
  message("scope -o /tmp/none", "--data");
  message("scope -o /tmp/none --data x", "--mask");
  message("scope -o /tmp/none --data x --mask m", "--validation");
  message("parameters -o /tmp/none --data x --mask m --validation v --crop 128", "row 'M = 32'");
  EXPECT_EQ(snapcube("ablate --help").code, 0);
}

}  // namespace
}  // namespace snapcube
