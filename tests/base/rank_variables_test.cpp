#include "base/rank_variables.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include <snapcube/error.h>

namespace snapcube {
namespace {

/// The variables of a process, until the end of the scope; all others that matter are unset.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& values) {
    clear();
    for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() { clear(); }

 private:
  static void clear() {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE",
          "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID", "SLURM_STEP_ID",
          "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"}) {
      ::unsetenv(name);
    }
  }
};

void expect(RankVariables found, int rank, int size) {
  EXPECT_EQ(found.rank, rank);
  EXPECT_EQ(found.size, size);
}

TEST(RankVariables, AreThoseOfWhoeverStartedTheProcess) {
  {
    const Variables none({});
    expect(rank_variables(), 0, 1);
  }
  for (const auto& [rank, size] : std::map<std::string, std::string>{{"RANK", "WORLD_SIZE"},
                                                                     {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                                     {"PMI_RANK", "PMI_SIZE"},
                                                                     {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                                                     {"SLURM_PROCID", "SLURM_NTASKS"}}) {
    const Variables some({{rank, "2"}, {size, "5"}});
    expect(rank_variables(), 2, 5);
    const Variables bad({{rank, "5"}, {size, "5"}});
    EXPECT_THROW(rank_variables(), InputError) << rank;
    const Variables word({{rank, "x"}, {size, "5"}});
    EXPECT_THROW(rank_variables(), InputError) << rank;
  }
}

TEST(RankVariables, ASlurmBatchScriptIsOneProcess) {
  const Variables script({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}});
  expect(rank_variables(), 0, 1);
  const Variables step({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}});
  expect(rank_variables(), 3, 4);
}

TEST(RankVariables, TheJobsOfAnArrayShare) {
  const std::map<std::string, std::string> job = {{"SLURM_JOB_ID", "12"},
                                                  {"SLURM_ARRAY_TASK_ID", "14"},
                                                  {"SLURM_ARRAY_TASK_COUNT", "3"},
                                                  {"SLURM_ARRAY_TASK_MIN", "10"},
                                                  {"SLURM_ARRAY_TASK_MAX", "14"}};
  {
    const Variables array(job);
    expect(rank_variables(), 0, 1);  // those who talk are alone
    expect(share_variables(), 2, 3);
  }
  {
    auto step = job;
    step.insert({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}});
    const Variables array(step);
    expect(share_variables(), 9, 12);
  }
  {
    auto uneven = job;
    uneven.insert_or_assign("SLURM_ARRAY_TASK_ID", std::string("13"));  // as of --array=10,13,14
    const Variables array(uneven);
    EXPECT_THROW(share_variables(), InputError);
  }
  {
    auto alone = job;
    alone.insert_or_assign("SLURM_ARRAY_TASK_COUNT",
                           std::string("1"));  // one job is started again: all that is left is its
    const Variables array(alone);
    expect(share_variables(), 0, 1);
  }
}

TEST(RankVariables, AreForgottenForOtherProcesses) {
  const Variables some({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}});
  forget_rank_variables();
  expect(share_variables(), 0, 1);
}

}  // namespace
}  // namespace snapcube
