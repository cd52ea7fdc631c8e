# Run when what a tarball brings along is installed: what these libraries ask of those who pass them on, which is the notes of the
# Debian packages that they come from.
file(GLOB libraries ${CMAKE_INSTALL_PREFIX}/lib/*/*.so*)
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  execute_process(COMMAND dpkg-query -S *-linux-gnu/${name} OUTPUT_VARIABLE owners ERROR_QUIET)
  if(NOT owners) # few lie elsewhere, below alternatives of their own
    execute_process(COMMAND dpkg-query -S */${name} OUTPUT_VARIABLE owners ERROR_QUIET)
  endif()
  string(REGEX MATCH "^[a-z0-9.+-]+" owner "${owners}")
  if(NOT owner)
    message(FATAL_ERROR "${name} belongs to no Debian package")
  endif()
  configure_file(/usr/share/doc/${owner}/copyright ${CMAKE_INSTALL_PREFIX}/share/doc/libraries/${owner} COPYONLY)
endforeach()
