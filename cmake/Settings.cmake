# How every target of the project is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
include(GNUInstallDirs)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
# The same in the build tree: CMake would pad the other path with an empty entry, which means the current folder.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(snapcube_settings INTERFACE)
target_compile_options(snapcube_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  # a*b+c is contracted nowhere, so that every machine rounds alike; kernels ask for FMA by name
  -ffp-contract=off
  # sqrt and friends compile to instructions; nobody reads errno after them
  -fno-math-errno
  # sanitizers keep loops from being vectorized that say they shall be
  $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
if(SNAPCUBE_WERROR)
  target_compile_options(snapcube_settings INTERFACE -Werror)
endif()
