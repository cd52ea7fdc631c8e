#pragma once
// How libtorch is set up. Left alone it uses one thread here, and gives memory back to the system after every layer
// only to ask for it again, page by page.

#include <string>
#include <torch/torch.h>

namespace snapcube {

/// Before the first large allocation: freed memory stays with the process.
void keep_freed_memory();
/// 0: all cores.
void use_threads(int threads);
/// "cpu", "cuda", "cuda:1". Throws InputError when libtorch does not have it.
torch::Device device_named(const std::string& name);

}  // namespace snapcube
