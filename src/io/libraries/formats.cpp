// The one name that this library exports; library_formats.cpp looks for it.

#include "io/libraries/formats.h"

#include <hdf5.h>

#include "io/library_formats.h"

extern "C" __attribute__((visibility("default"))) const snapcube::io::LibraryFormats* snapcube_library_formats() {
  namespace libraries = snapcube::io::libraries;
  static const snapcube::io::LibraryFormats formats{libraries::hdf5_format(), libraries::mat73_format(),
                                                    libraries::tiff_format(), [] { H5dont_atexit(); },
                                                    libraries::write_hdf5_datasets};
  return &formats;
}
