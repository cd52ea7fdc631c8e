#pragma once
// How libtorch is set up. Left alone it uses one thread here, and gives memory back to the system after every layer
// only to ask for it again, page by page.

#include <string>
#include <torch/torch.h>

namespace snapcube {

/// Settings that libraries read when they are loaded: where one has to be made, the program is started anew, once.
///
/// OpenBLAS 0.3.21 does not know every processor (OPENBLAS_CORETYPE): on one that it takes for a Prescott of 2004 its
/// products are several times slower than need be. Waiting threads are to sleep (base/waiting.h): a run takes hours,
/// and other programs come and go.
void set_up_libraries(char** argv);
/// Before the first large allocation: freed memory stays with the process.
void keep_freed_memory();
/// 0: all cores.
void use_threads(int threads);
/// "cpu", "cuda", "cuda:1". Throws InputError when libtorch does not have it.
torch::Device device_named(const std::string& name);

}  // namespace snapcube
