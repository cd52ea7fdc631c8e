# cmake --install, and what find_package(snapcube) finds afterwards. Components: what a wheel, or a package, takes.
include(CMakePackageConfigHelpers)

install(TARGETS snapcube EXPORT snapcube-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS snapcube_formats LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
if(TARGET snapcube_genicam)
  install(TARGETS snapcube_genicam LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
endif()
install(TARGETS snapcube_app RUNTIME COMPONENT program)
if(SNAPCUBE_TORCH)
  install(TARGETS snapcube_train RUNTIME COMPONENT training)
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
