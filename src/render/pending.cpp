#include <png.h>

#include <snapcube/error.h>
#include <snapcube/render.h>
namespace snapcube {
void write_png(const Picture& p, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(p.width);
  image.height = static_cast<png_uint_32>(p.height);
  image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, path.c_str(), 0, p.rgb.data(), 0, nullptr))
    throw Error("png");
}
}  // namespace snapcube
