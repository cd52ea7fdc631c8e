#pragma once
// Which of several processes this one is, as those who start them say it.

namespace snapcube {

struct RankVariables {
  int rank = 0;
  int size = 1;
};

/// From RANK and WORLD_SIZE, as torchrun sets them, or SLURM_PROCID and SLURM_NTASKS; one process alone where neither
/// is set. Throws InputError for what is no number, and for a rank that is not below the size.
RankVariables rank_variables();
/// Processes that this one starts are alone.
void forget_rank_variables();

}  // namespace snapcube
