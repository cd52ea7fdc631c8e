/* The one compiled file of the Octave and MATLAB functions; what users call are the .m files beside it.
 *
 *   [measurement]      = snapcube_mex('simulate', cube, camera, noise, seed)
 *   [cube]             = snapcube_mex('reconstruct', measurement, camera, method, settings)
 *   [offsets, detector]= snapcube_mex('camera', camera)
 *   [version]          = snapcube_mex('version')
 *   [mask]             = snapcube_mex('mask', rows, columns, density, seed)
 *   [cube]             = snapcube_mex('scene', name, rows, columns, wavelengths, seed)
 *
 * Arrays are single and as MATLAB has them: columns first, rows × columns × bands. A camera is a struct with the fields mask,
 * step, axis ("columns", "rows"), bands, offsets and wavelengths (both [] where they are not given). */
#include <mex.h>
#include <snapcube/snapcube_c.h>
#include <stdio.h>
#include <string.h>

/* Ends with an error; what mxMalloc and mxCreate… gave is released by Octave and MATLAB. */
static void fail(const char* id, const char* message) { mexErrMsgIdAndTxt(id, "snapcube: %s", message); }

static void check_arguments(int given, int wanted) {
  if (given != wanted) fail("snapcube:input", "wrong number of arguments for snapcube_mex; call the .m files");
}

static const mxArray* field(const mxArray* camera, const char* name) {
  const mxArray* value = mxIsStruct(camera) && mxGetNumberOfElements(camera) == 1 ? mxGetField(camera, 0, name) : NULL;
  if (!value) {
    char message[100];
    snprintf(message, sizeof message, "camera: expected a struct of snapcube_camera, found none with a field '%s'", name);
    fail("snapcube:input", message);
  }
  return value;
}

static char* text(const mxArray* value, const char* name) {
  char message[100];
  char* result = mxIsChar(value) ? mxArrayToString(value) : NULL;
  if (!result) {
    snprintf(message, sizeof message, "%s: expected text", name);
    fail("snapcube:input", message);
  }
  return result;
}

static double number(const mxArray* value, const char* name) {
  char message[100];
  if (!mxIsDouble(value) || mxIsComplex(value) || mxGetNumberOfElements(value) != 1) {
    snprintf(message, sizeof message, "%s: expected a number", name);
    fail("snapcube:input", message);
  }
  return mxGetScalar(value);
}

static int whole(const mxArray* value, const char* name) {
  char message[100];
  const double given = number(value, name);
  if (!(given >= -2147483647.0 && given <= 2147483647.0) || given != (double)(int)given) {
    snprintf(message, sizeof message, "%s: expected a whole number, found %g", name, given);
    fail("snapcube:input", message);
  }
  return (int)given;
}

static uint64_t seed_of(const mxArray* value) {
  const double given = number(value, "seed");
  if (!(given >= 0 && given <= 9007199254740992.0) || given != (double)(uint64_t)given) {
    fail("snapcube:input", "seed: expected a whole number that is not negative");
  }
  return (uint64_t)given;
}

/* A row or column of `count` doubles; NULL for []. */
static const double* numbers(const mxArray* value, int count, const char* name) {
  char message[120];
  if (mxIsEmpty(value)) return NULL;
  if (!mxIsDouble(value) || mxIsComplex(value) || mxGetNumberOfElements(value) != (size_t)count) {
    snprintf(message, sizeof message, "%s: expected %d numbers, one for each band, found %d", name, count,
             (int)mxGetNumberOfElements(value));
    fail("snapcube:input", message);
  }
  return mxGetPr(value);
}

static void check_single(const mxArray* array, size_t most_dimensions, const char* name) {
  char message[120];
  if (!mxIsSingle(array) || mxIsComplex(array) || mxIsSparse(array) || (size_t)mxGetNumberOfDimensions(array) > most_dimensions) {
    snprintf(message, sizeof message, "%s: expected a real single array of at most %d dimensions", name,
             (int)most_dimensions);
    fail("snapcube:input", message);
  }
}

static int size_of(const mxArray* array, size_t dimension) {
  const size_t length = dimension < (size_t)mxGetNumberOfDimensions(array) ? mxGetDimensions(array)[dimension] : 1;
  if (length > 2147483647u) fail("snapcube:input", "an array is too long");
  return (int)length;
}

static snapcube_image image_of(const mxArray* array, const char* name) {
  snapcube_image image;
  check_single(array, 2, name);
  image.data = (float*)mxGetData(array);
  image.height = size_of(array, 0);
  image.width = size_of(array, 1);
  image.row_stride = 1;
  image.column_stride = image.height;
  return image;
}

static snapcube_cube cube_of(const mxArray* array, const char* name) {
  snapcube_cube cube;
  check_single(array, 3, name);
  cube.data = (float*)mxGetData(array);
  cube.height = size_of(array, 0);
  cube.width = size_of(array, 1);
  cube.bands = size_of(array, 2);
  cube.row_stride = 1;
  cube.column_stride = cube.height;
  cube.band_stride = (ptrdiff_t)cube.height * cube.width;
  return cube;
}

static mxArray* new_single(int rows, int columns, int bands) {
  mwSize size[3];
  size[0] = (mwSize)rows;
  size[1] = (mwSize)columns;
  size[2] = (mwSize)bands;
  return mxCreateNumericArray(bands == 1 ? 2 : 3, size, mxSINGLE_CLASS, mxREAL);
}

/* What is open. Errors leave a function without returning to it, so that nothing local could be closed. */
static snapcube_camera* camera_in_use = NULL;
static snapcube_reconstructor* method_in_use = NULL;
static char method_name[4096];

static void close_camera(void) {
  snapcube_camera_free(camera_in_use);
  camera_in_use = NULL;
}

static void close_all(void) {
  close_camera();
  snapcube_reconstructor_free(method_in_use);
  method_in_use = NULL;
}

static void check(int status) {
  char message[2000];
  if (status == SNAPCUBE_OK) return;
  close_camera();
  snprintf(message, sizeof message, "%s", snapcube_last_error());
  fail(status == SNAPCUBE_BAD_INPUT     ? "snapcube:input"
       : status == SNAPCUBE_INTERRUPTED ? "snapcube:interrupted"
                                        : "snapcube:failed",
       message);
}

static snapcube_sizes open_camera(const mxArray* given) {
  snapcube_camera_options options = SNAPCUBE_CAMERA_OPTIONS;
  snapcube_image mask = image_of(field(given, "mask"), "mask");
  char* axis = text(field(given, "axis"), "axis");
  snapcube_sizes sizes;
  options.bands = whole(field(given, "bands"), "bands");
  options.step = whole(field(given, "step"), "step");
  if (strcmp(axis, "columns") != 0 && strcmp(axis, "rows") != 0) {
    fail("snapcube:input", "axis: expected 'columns' or 'rows'");
  }
  options.axis = strcmp(axis, "rows") == 0 ? SNAPCUBE_ROWS : SNAPCUBE_COLUMNS;
  options.offsets = numbers(field(given, "offsets"), options.bands, "offsets");
  options.wavelengths = numbers(field(given, "wavelengths"), options.bands, "wavelengths");
  close_camera();
  check(snapcube_camera_create(&mask, &options, &camera_in_use));
  check(snapcube_camera_sizes(camera_in_use, &sizes));
  return sizes;
}

/* Opens a method with settings (a cell of 'name=value'); the one that is open already if it is the same. */
static void open_method(const mxArray* name, const mxArray* settings) {
  const char* texts[65] = {NULL};
  char key[sizeof method_name];
  size_t count = mxGetNumberOfElements(settings);
  size_t i;
  char* method = mxIsEmpty(name) ? NULL : text(name, "method");
  int length = snprintf(key, sizeof key, "%s", method ? method : "");
  if (!mxIsCell(settings) || count > 64) fail("snapcube:input", "settings: expected a cell of at most 64 texts");
  for (i = 0; i < count; ++i) {
    const mxArray* cell = mxGetCell(settings, i);
    if (!cell) fail("snapcube:input", "settings: expected texts");
    texts[i] = text(cell, "settings");
    if (length >= 0 && (size_t)length < sizeof key) {
      length += snprintf(key + length, sizeof key - (size_t)length, "\n%s", texts[i]);
    }
  }
  if (length < 0 || (size_t)length >= sizeof key) fail("snapcube:input", "settings: too long");
  if (method_in_use && strcmp(key, method_name) == 0) return;
  snapcube_reconstructor_free(method_in_use);
  method_in_use = NULL;
  check(snapcube_reconstructor_open(method, texts, &method_in_use));
  strcpy(method_name, key);
}

static void camera(mxArray* out[], int outputs, const mxArray* const in[]) {
  const snapcube_sizes sizes = open_camera(in[1]);
  out[0] = mxCreateDoubleMatrix(1, (mwSize)sizes.bands, mxREAL);
  check(snapcube_camera_bands(camera_in_use, sizes.bands, mxGetPr(out[0]), NULL));
  if (outputs > 1) {
    out[1] = mxCreateDoubleMatrix(1, 2, mxREAL);
    mxGetPr(out[1])[0] = sizes.detector_height;
    mxGetPr(out[1])[1] = sizes.detector_width;
  }
}

static void simulate(mxArray* out[], const mxArray* const in[]) {
  const snapcube_sizes sizes = open_camera(in[2]);
  const snapcube_cube cube = cube_of(in[1], "cube");
  snapcube_image measurement;
  out[0] = new_single(sizes.detector_height, sizes.detector_width, 1);
  measurement = image_of(out[0], "measurement");
  check(snapcube_simulate(camera_in_use, &cube, text(in[3], "noise"), seed_of(in[4]), &measurement));
}

static void reconstruct(mxArray* out[], const mxArray* const in[]) {
  const snapcube_sizes sizes = open_camera(in[2]);
  const snapcube_image measurement = image_of(in[1], "measurement");
  snapcube_cube cube;
  open_method(in[3], in[4]);
  out[0] = new_single(sizes.height, sizes.width, sizes.bands);
  cube = cube_of(out[0], "cube");
  check(snapcube_reconstruct(method_in_use, camera_in_use, &measurement, &cube, NULL, NULL));
}

static void mask(mxArray* out[], const mxArray* const in[]) {
  snapcube_image image;
  const int rows = whole(in[1], "rows");
  const int columns = whole(in[2], "columns");
  if (rows < 1 || columns < 1) fail("snapcube:input", "a mask has at least one row and one column");
  out[0] = new_single(rows, columns, 1);
  image = image_of(out[0], "mask");
  check(snapcube_random_mask(number(in[3], "density"), seed_of(in[4]), &image));
}

static void scene(mxArray* out[], const mxArray* const in[]) {
  snapcube_cube cube;
  const int rows = whole(in[2], "rows");
  const int columns = whole(in[3], "columns");
  const int bands = mxIsEmpty(in[4]) ? 28 : (int)mxGetNumberOfElements(in[4]);
  if (rows < 1 || columns < 1) fail("snapcube:input", "a scene has at least one row and one column");
  out[0] = new_single(rows, columns, bands);
  cube = cube_of(out[0], "scene");
  check(snapcube_make_scene(text(in[1], "name"), numbers(in[4], bands, "wavelengths"), seed_of(in[5]), &cube));
}

void mexFunction(int outputs, mxArray* out[], int inputs, const mxArray* in[]) {
  const char* call = inputs > 0 ? text(in[0], "call") : "";
  mexAtExit(close_all);
  if (strcmp(call, "version") == 0) {
    out[0] = mxCreateString(snapcube_version());
  } else if (strcmp(call, "camera") == 0) {
    check_arguments(inputs, 2);
    camera(out, outputs, in);
  } else if (strcmp(call, "simulate") == 0) {
    check_arguments(inputs, 5);
    simulate(out, in);
  } else if (strcmp(call, "reconstruct") == 0) {
    check_arguments(inputs, 5);
    reconstruct(out, in);
  } else if (strcmp(call, "mask") == 0) {
    check_arguments(inputs, 5);
    mask(out, in);
  } else if (strcmp(call, "scene") == 0) {
    check_arguments(inputs, 6);
    scene(out, in);
  } else {
    fail("snapcube:input", "snapcube_mex: unknown call; use the .m files");
  }
  close_camera();
}
