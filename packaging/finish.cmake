# Run by cpack when the files of all packages lie where they will be installed, before they are packed.
find_program(GZIP gzip REQUIRED)

# Compressed as Debian asks, without a date in it.
function(compress file)
  execute_process(COMMAND ${GZIP} -9 -n -f ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The libraries are in a folder where they are found: no path to them is written down in a program.
function(forget_library_paths top)
  file(GLOB files ${top}/bin/* ${top}/lib/*/*.so* ${top}/lib/*/snapcube-*/*.so
       ${top}/lib/python3/dist-packages/snapcube/*.so)
  file(GLOB_RECURSE functions ${top}/*.mex)
  foreach(file IN LISTS files functions)
    if(NOT IS_SYMLINK ${file} AND NOT IS_DIRECTORY ${file})
      file(RPATH_REMOVE FILE ${file})
    endif()
  endforeach()
endfunction()

function(finish_debian_package component top)
  string(TOUPPER ${component} upper)
  set(documents ${top}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(COPY ${CPACK_SNAPCUBE_DEBIAN}/copyright DESTINATION ${documents})
  configure_file(${CPACK_SNAPCUBE_DEBIAN}/changelog ${documents}/changelog.Debian COPYONLY)
  compress(${documents}/changelog.Debian)
  if(component STREQUAL "program")
    configure_file(${CPACK_SNAPCUBE_SOURCE}/CHANGELOG.md ${documents}/changelog COPYONLY)
    compress(${documents}/changelog)
  endif()
  file(GLOB pages ${top}/share/man/man1/*.1)
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
  forget_library_paths(${top})
endfunction()

# A tarball's files are those that were installed: nothing can be added here.
if(CPACK_GENERATOR STREQUAL "DEB")
  foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    finish_debian_package(${component} ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  endforeach()
endif()
