#include <snapcube/version.h>

namespace snapcube {

const char* version() { return SNAPCUBE_VERSION_STRING; }

}  // namespace snapcube
