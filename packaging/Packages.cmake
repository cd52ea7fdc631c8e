# Debian packages and a tarball, by CPack (`./dev package`). A package is a component of Install.cmake; what Debian asks of each
# (copyright, changelog, compressed man pages) is added by finish.cmake, when the files lie where they will be installed.
find_program(OCTAVE_CONFIG octave-config)
set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(library_package libsnapcube${soname})

set(CPACK_PACKAGE_NAME snapcube)
set(CPACK_PACKAGE_VENDOR "The Snapcube authors")
set(CPACK_PACKAGE_CONTACT "${SNAPCUBE_MAINTAINER}")
set(CPACK_PACKAGE_FILE_NAME snapcube-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/choose.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/finish.cmake)

# For these two scripts.
set(debian ${CMAKE_CURRENT_BINARY_DIR}/debian)
set(CPACK_SNAPCUBE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_SNAPCUBE_DEBIAN ${debian})
set(CPACK_SNAPCUBE_COMPONENTS library development program python)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SOURCE snapcube)

# debian_package(COMPONENT NAME SECTION SUMMARY TEXT [DEPENDS component...]): one package. SUMMARY is its line in lists.
function(debian_package component name section summary text)
  cmake_parse_arguments(PARSE_ARGV 5 of "" "" "DEPENDS")
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DEPENDS "${of_DEPENDS}" PARENT_SCOPE)
endfunction()

set(about "Snapcube turns one snapshot of a CASSI camera (coded aperture snapshot
spectral imaging) into a hyperspectral cube, on an ordinary CPU.\n.")
debian_package(library ${library_package} libs "hyperspectral cubes from one snapshot - library"
  "${about}\nThis package has the shared library.")
debian_package(development libsnapcube-dev libdevel "hyperspectral cubes from one snapshot - C and C++ headers"
  "${about}\nThis package has the headers, and files for CMake and pkg-config." DEPENDS library)
debian_package(program snapcube science "hyperspectral cubes from one snapshot"
  "${about}\nThis package has the program, which simulates, reconstructs, evaluates\nand shows, and the weights of a network for any mask."
  DEPENDS library)
debian_package(python python3-snapcube python "hyperspectral cubes from one snapshot - Python module"
  "${about}\nThis package has the module for Python, which works on NumPy arrays." DEPENDS library)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "snapcube-train, python3-snapcube")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS snapcube) # the weights

# The library: programs that were linked with it depend on this package, as dpkg-shlibdeps reads in `shlibs`.
configure_file(debian/shlibs.in ${debian}/library/shlibs @ONLY)
configure_file(debian/triggers ${debian}/library/triggers COPYONLY)
# Without scripts of our own, CPack writes some that call ldconfig; the trigger does that.
configure_file(debian/nothing ${debian}/library/postinst COPYONLY)
configure_file(debian/nothing ${debian}/library/postrm COPYONLY)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    ${debian}/library/shlibs ${debian}/library/triggers ${debian}/library/postinst ${debian}/library/postrm)

# Python: the core is compiled for one minor version; modules are compiled to bytecode as they are installed, which is removed again.
execute_process(COMMAND ${SNAPCUBE_PYTHON} -c "import sys; print('%d.%d %d.%d' % (*sys.version_info[:2], sys.version_info[0], sys.version_info[1] + 1))"
                OUTPUT_VARIABLE versions OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(versions UNIX_COMMAND "${versions}")
list(GET versions 0 this)
list(GET versions 1 next)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${this}~), python3 (<< ${next}), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS snapcube) # the weights, and the viewer
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "snapcube-train, python3-xarray, python3-matplotlib")
configure_file(debian/python3.postinst ${debian}/python/postinst COPYONLY)
configure_file(debian/python3.prerm ${debian}/python/prerm COPYONLY)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${debian}/python/postinst ${debian}/python/prerm)

if(SNAPCUBE_TORCH)
  list(APPEND CPACK_SNAPCUBE_COMPONENTS training)
  debian_package(training snapcube-train science "hyperspectral cubes from one snapshot - training"
    "${about}\nThis package has the program that trains networks for a camera of your\nown, with libtorch." DEPENDS library)
  set(CPACK_DEBIAN_TRAINING_PACKAGE_DEPENDS "libopenblas0-openmp") # with the default build it is two to three times slower
  set(CPACK_DEBIAN_TRAINING_PACKAGE_RECOMMENDS snapcube)
endif()
if(TARGET snapcube_mex)
  list(APPEND CPACK_SNAPCUBE_COMPONENTS octave)
  debian_package(octave octave-snapcube science "hyperspectral cubes from one snapshot - functions for Octave"
    "${about}\nThis package has the functions snapcube_camera, snapcube_simulate and\nsnapcube_reconstruct." DEPENDS library)
  get_filename_component(octave_libraries ${OCTINTERP} DIRECTORY)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${octave_libraries})
  # Octave numbers its binary interface as "api-v57", Debian as octave-abi-57.
  execute_process(COMMAND ${OCTAVE_CONFIG} -p API_VERSION OUTPUT_VARIABLE abi OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "api-v" "octave-abi-" abi "${abi}")
  set(CPACK_DEBIAN_OCTAVE_PACKAGE_DEPENDS "octave, ${abi}")
  set(CPACK_DEBIAN_OCTAVE_PACKAGE_RECOMMENDS snapcube)
endif()

# The tarball.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION . COMPONENT bundled EXCLUDE_FROM_ALL)
install(SCRIPT notes.cmake COMPONENT bundled EXCLUDE_FROM_ALL)
install(SCRIPT notes.cmake COMPONENT bundled_training EXCLUDE_FROM_ALL)

# The date of the changelog: SOURCE_DATE_EPOCH, where it is set (./dev package: that of the last commit).
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(debian/changelog.in ${debian}/changelog @ONLY)
configure_file(debian/copyright ${debian}/copyright COPYONLY)
include(CPack)
