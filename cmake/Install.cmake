# cmake --install, and what find_package(snapcube) finds afterwards. Components: what a wheel, or a package, takes.
include(CMakePackageConfigHelpers)

if(SNAPCUBE_PACKAGES)
  # What the programs need, for a tarball that brings all of it along.
  set(needs RUNTIME_DEPENDENCY_SET bundled)
  set(training_needs RUNTIME_DEPENDENCY_SET bundled_training)
endif()
install(TARGETS snapcube EXPORT snapcube-targets ${needs} LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS snapcube_formats ${needs} LIBRARY DESTINATION ${SNAPCUBE_FORMATS_DIR} COMPONENT library)
install(TARGETS snapcube_app ${needs} RUNTIME COMPONENT program)
if(TARGET snapcube_genicam)
  install(TARGETS snapcube_genicam LIBRARY DESTINATION ${SNAPCUBE_FORMATS_DIR} COMPONENT program)
endif()
if(SNAPCUBE_TORCH)
  install(TARGETS snapcube_train ${training_needs} RUNTIME COMPONENT training)
endif()
if(SNAPCUBE_PACKAGES)
  # All but the C library, which belongs to the kernel's machine. EXCLUDE_FROM_ALL: no part of an ordinary installation.
  set(sets bundled)
  if(SNAPCUBE_TORCH)
    list(APPEND sets bundled_training)
  endif()
  foreach(set ${sets})
    install(RUNTIME_DEPENDENCY_SET ${set}
            PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|util|pthread|resolv|nsl|anl|mvec)\\.so" "^libsnapcube"
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${set} EXCLUDE_FROM_ALL)
  endforeach()
endif()
install(DIRECTORY include/snapcube TYPE INCLUDE COMPONENT development)
# The weights we ship, with their cards. The build tree's programs find them at the same place beside them.
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/snapcube/models COMPONENT program)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/snapcube)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/models ${CMAKE_BINARY_DIR}/share/snapcube/models SYMBOLIC)
install(EXPORT snapcube-targets NAMESPACE snapcube:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/snapcube COMPONENT development)

file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/snapcube-config.cmake
     "include(\${CMAKE_CURRENT_LIST_DIR}/snapcube-targets.cmake)\n")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/snapcube-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/snapcube-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/snapcube-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/snapcube COMPONENT development)
