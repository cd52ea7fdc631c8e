# The kernels and their tests alone: what a cross compiler can build without any library for its target. Highway is used
# by its headers, with the one instruction set that the compiler targets; GoogleTest is built from Debian's sources.
enable_testing()
include(GoogleTest)
set(INSTALL_GTEST OFF)
add_subdirectory(/usr/src/googletest googletest EXCLUDE_FROM_ALL)

# Only Highway's folder: the rest of /usr/include belongs to the host.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK /usr/include/hwy ${CMAKE_BINARY_DIR}/include/hwy SYMBOLIC)

file(GLOB sources CONFIGURE_DEPENDS src/kernels/*.cpp tests/kernels/*_test.cpp)
add_executable(kernels_tests ${sources} src/base/random.cpp)
target_include_directories(kernels_tests PRIVATE src include tests/kernels)
target_include_directories(kernels_tests SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/include)
target_compile_definitions(kernels_tests PRIVATE HWY_COMPILE_ONLY_STATIC)
target_link_libraries(kernels_tests PRIVATE snapcube_settings gtest_main)
gtest_discover_tests(kernels_tests DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
