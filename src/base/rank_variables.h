#pragma once
// Which of several processes this one is, as those who start them say it.

namespace snapcube {

struct RankVariables {
  int rank = 0;
  int size = 1;
};

/// The processes that work together, by the first pair of variables that is set: RANK and WORLD_SIZE (torchrun),
/// OMPI_COMM_WORLD_RANK and _SIZE (Open MPI), PMI_RANK and PMI_SIZE (MPICH, Intel MPI), MV2_COMM_WORLD_RANK and _SIZE
/// (MVAPICH), SLURM_PROCID and SLURM_NTASKS (srun). One process alone where none is set, and in a Slurm batch script,
/// which is one process whatever it asked for. Throws InputError for what is no number, and for a rank that is not
/// below the size.
RankVariables rank_variables();
/// The same for work that needs no talk between processes: the jobs of a Slurm array count, too, each with all of its
/// processes. Throws InputError for an array whose numbers are not evenly apart: which job is which would be a guess.
RankVariables share_variables();
/// Processes that this one starts are alone.
void forget_rank_variables();

}  // namespace snapcube
