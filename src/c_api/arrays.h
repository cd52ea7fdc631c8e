#pragma once
// Between a caller's memory and the library's containers.

#include <vector>

#include <snapcube/array.h>
#include <snapcube/snapcube_c.h>

namespace snapcube::c_api {

/// A copy of the caller's image. Throws InputError for a null pointer, sizes below 1 or beyond memory, and values that
/// are not finite; `name` is that of the argument.
Image copy_in(const snapcube_image* image, const char* name);
Cube copy_in(const snapcube_cube* cube, const char* name);

/// Throws InputError unless the array is there and has this size.
void check_size(const snapcube_image* image, int height, int width, const char* name);
void check_size(const snapcube_cube* cube, int bands, int height, int width, const char* name);

/// Throws InputError unless the array is there and no two of its values lie at the same place.
void check_output(const snapcube_image* image, const char* name);
void check_output(const snapcube_cube* cube, const char* name);

void copy_out(const Image& values, const snapcube_image& image);
void copy_out(const Cube& values, const snapcube_cube& cube);

/// `count` numbers of the caller's; none for a null pointer. Throws InputError for values that are not finite.
std::vector<double> copy_in(const double* numbers, int count, const char* name);

}  // namespace snapcube::c_api
