# cmake --install, and what find_package(snapcube) finds afterwards.
include(CMakePackageConfigHelpers)

install(TARGETS snapcube EXPORT snapcube-targets)
install(TARGETS snapcube_app)
if(SNAPCUBE_TORCH)
  install(TARGETS snapcube_train)
endif()
install(DIRECTORY include/snapcube TYPE INCLUDE)
install(EXPORT snapcube-targets NAMESPACE snapcube:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/snapcube)

file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/snapcube-config.cmake
     "include(\${CMAKE_CURRENT_LIST_DIR}/snapcube-targets.cmake)\n")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/snapcube-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/snapcube-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/snapcube-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/snapcube)
