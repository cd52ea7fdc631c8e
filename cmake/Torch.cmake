# libtorch, for training only. Sets SNAPCUBE_TORCH when it is installed; the core never needs it.
find_package(Torch QUIET)
set(SNAPCUBE_TORCH ${Torch_FOUND})
if(SNAPCUBE_TORCH)
  # What of TorchConfig.cmake a program needs; its other flags (C++ standard, definitions) would leak into everything.
  add_library(snapcube_torch INTERFACE)
  target_include_directories(snapcube_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(snapcube_torch INTERFACE ${TORCH_LIBRARIES})
endif()
