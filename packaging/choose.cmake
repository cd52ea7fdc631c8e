# Read by cpack for each kind of package: which components go into it. `cpack -G DEB`: each is a package. `cpack -G TXZ`: one
# archive with the programs and every library that they need but for the C library; -D CPACK_SNAPCUBE_TRAINING=ON adds training.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each component has its own
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENTS_ALL ${CPACK_SNAPCUBE_COMPONENTS})
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
else()
  set(CPACK_COMPONENTS_ALL library program bundled)
  if(CPACK_SNAPCUBE_TRAINING)
    list(APPEND CPACK_COMPONENTS_ALL training bundled_training)
    string(REPLACE "snapcube-" "snapcube-with-training-" CPACK_PACKAGE_FILE_NAME "${CPACK_PACKAGE_FILE_NAME}")
  endif()
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
