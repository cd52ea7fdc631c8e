#ifndef SNAPCUBE_C_H
#define SNAPCUBE_C_H
/**
 * @file
 * Snapcube for C, and for every language that can call C: plain buffers, opaque handles, error codes.
 *
 *     snapcube_camera* camera = NULL;
 *     snapcube_reconstructor* method = NULL;
 *     if (snapcube_camera_read("mask.mat", NULL, &camera) || snapcube_reconstructor_open("gap-tv", NULL, &method) ||
 *         snapcube_reconstruct(method, camera, &measurement, &cube, NULL, NULL))
 *       fprintf(stderr, "%s\n", snapcube_last_error());
 *     snapcube_reconstructor_free(method);
 *     snapcube_camera_free(camera);
 *
 * Errors. Functions that return int return SNAPCUBE_OK or the code of what went wrong; the thread's last error then
 * holds the sentence. Nothing is thrown out of this library, and what a callback throws ends as SNAPCUBE_FAILED. A
 * function that fails sets output handles and pointers to NULL; of an output array it may have written a part only if
 * it says so. Null pointers, handles that were freed and sizes that do not fit are SNAPCUBE_BAD_INPUT. Pointers to
 * memory that is not there cannot be told from good ones.
 *
 * Threads. Every function may be called from several threads at once, with the same handles, too: a camera never
 * changes, and a reconstructor works on one frame at a time, so that a second call with it waits. A handle may be freed
 * while another thread still works with it. Computations use the threads of OpenMP (OMP_NUM_THREADS).
 *
 * Values are 32-bit floats. Light is linear; 1 is white.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SNAPCUBE_C_API __attribute__((visibility("default")))
#else
#define SNAPCUBE_C_API
#endif

/** What functions return; the same numbers as the exit codes of the program. */
enum {
  SNAPCUBE_OK = 0,
  SNAPCUBE_FAILED = 1,       /**< something could not be done: no memory, a disk that is full */
  SNAPCUBE_BAD_INPUT = 2,    /**< an argument or a file is not what it should be */
  SNAPCUBE_INTERRUPTED = 130 /**< a progress callback asked to stop */
};

/** An image in the caller's memory: a measurement or a mask. */
typedef struct snapcube_image {
  float* data; /**< the pixel at row 0, column 0; not written to where the image is an input */
  int height;
  int width;
  /** Distance, in floats, from a pixel to the one below and to the one at its right; of either sign. Both 0: row after
   *  row without gaps (width, 1). MATLAB's arrays have (1, height). */
  ptrdiff_t row_stride;
  ptrdiff_t column_stride;
} snapcube_image;

/** A hyperspectral cube in the caller's memory. */
typedef struct snapcube_cube {
  float* data; /**< band 0, row 0, column 0; not written to where the cube is an input */
  int bands;
  int height;
  int width;
  /** As for images. All 0: band after band, each row after row (height·width, width, 1). Bands of a pixel side by side:
   *  (1, width·bands, bands). MATLAB's rows × columns × bands: (height·width, 1, height). */
  ptrdiff_t band_stride;
  ptrdiff_t row_stride;
  ptrdiff_t column_stride;
} snapcube_cube;

/** Opaque: numbers that only this library can read. NULL is never a handle. */
typedef struct snapcube_camera snapcube_camera;
typedef struct snapcube_reconstructor snapcube_reconstructor;

/* ---- the library --------------------------------------------------------------------------------------------------
 */

/** "0.1.0". Never fails. */
SNAPCUBE_C_API const char* snapcube_version(void);

/** What went wrong in the last function that failed in this thread; "" where none has. Valid until this thread's next
 *  call that fails. Never fails. */
SNAPCUBE_C_API const char* snapcube_last_error(void);

/** The parts of an error about bad input. */
enum {
  SNAPCUBE_ERROR_SOURCE = 0,   /**< mostly a file */
  SNAPCUBE_ERROR_FIELD = 1,    /**< what in it */
  SNAPCUBE_ERROR_EXPECTED = 2, /**< what should be there */
  SNAPCUBE_ERROR_FOUND = 3     /**< what is there */
};

/** One part of the last error; "" where it has none, and for a part that does not exist. Never fails. */
SNAPCUBE_C_API const char* snapcube_last_error_part(int part);

/** Takes what the library has to say ("integers scaled by 1/65535"); level is 0, or 1 for a warning. It is called by
 * one thread at a time, by any of them, and must not call back into this library. */
typedef void (*snapcube_log)(int level, const char* message, void* user);

/** Sends the library's messages to a function; NULL silences it. At first they go to standard error. Not to be called
 *  while another thread is inside the library. Never fails. */
SNAPCUBE_C_API void snapcube_set_log(snapcube_log log, void* user);

/** Releases what snapcube_read_* allocated. NULL is fine. Never fails. */
SNAPCUBE_C_API void snapcube_free(void* memory);

/* ---- cameras ------------------------------------------------------------------------------------------------------
 */

enum { SNAPCUBE_COLUMNS = 0, SNAPCUBE_ROWS = 1 };

typedef struct snapcube_camera_options {
  size_t size; /**< sizeof(snapcube_camera_options); tells the library which version of this struct it was given */
  int bands;
  int step;              /**< pixels from one band to the next; either sign, 0 too; not used where offsets are given */
  int axis;              /**< direction of the dispersion: SNAPCUBE_COLUMNS or SNAPCUBE_ROWS */
  const double* offsets; /**< position of each band on the detector in pixels; NULL: from the step */
  const double* wavelengths; /**< centre of each band in nm; NULL: the published ones for 28 bands, else unknown */
} snapcube_camera_options;

/** The published camera: 28 bands, two pixels apart, along the columns. */
#define SNAPCUBE_CAMERA_OPTIONS \
  { sizeof(snapcube_camera_options), 28, 2, SNAPCUBE_COLUMNS, NULL, NULL }

/** A camera from its mask, which is copied. Options NULL: SNAPCUBE_CAMERA_OPTIONS.
 *  Fails for a mask that is empty, negative, or not finite, and for options that make no camera. */
SNAPCUBE_C_API int snapcube_camera_create(const snapcube_image* mask, const snapcube_camera_options* options,
                                          snapcube_camera** camera);

/** The same with the mask from a file: any format that the library reads, "path" or "path:variable". */
SNAPCUBE_C_API int snapcube_camera_read(const char* mask_location, const snapcube_camera_options* options,
                                        snapcube_camera** camera);

/** NULL is fine, and so is a handle that was freed before. Never fails. */
SNAPCUBE_C_API void snapcube_camera_free(snapcube_camera* camera);

typedef struct snapcube_sizes {
  int bands; /**< of cubes */
  int height;
  int width;
  int detector_height; /**< of measurements */
  int detector_width;
} snapcube_sizes;

/** The sizes of the cubes and measurements that belong to a camera. */
SNAPCUBE_C_API int snapcube_camera_sizes(const snapcube_camera* camera, snapcube_sizes* sizes);

/** The offset (pixels, smallest 0) and wavelength (nm) of each band. Each array has room for `bands` numbers, which
 * must be the camera's, or is NULL. Wavelengths that are not known are written as NaN. */
SNAPCUBE_C_API int snapcube_camera_bands(const snapcube_camera* camera, int bands, double* offsets,
                                         double* wavelengths);

/* ---- measurements and reconstructions -----------------------------------------------------------------------------
 */

/** What the camera measures of a scene. Noise is "none" (or NULL), or stages joined by '+', such as
 *  "shot11+gaussian:0.005"; the same seed gives the same noise everywhere. The shot noise's gain is 2.4/bands unless
 * given. The cube must have the camera's size, the measurement its detector's; both must not overlap. */
SNAPCUBE_C_API int snapcube_simulate(const snapcube_camera* camera, const snapcube_cube* cube, const char* noise,
                                     uint64_t seed, snapcube_image* measurement);

/** Opens a method ("gap-tv", "twist", "desci"), a model by its name ("cst-s") or a model's weights file (with a '/' or
 *  ending in .safetensors). NULL: the installed model, or GAP-TV where there is none. Settings are "name=value", NULL
 *  behind the last one; NULL: none. Fails for what is not known and for weights that do not fit. */
SNAPCUBE_C_API int snapcube_reconstructor_open(const char* method, const char* const* settings,
                                               snapcube_reconstructor** reconstructor);

/** NULL is fine, and so is a handle that was freed before. Never fails. */
SNAPCUBE_C_API void snapcube_reconstructor_free(snapcube_reconstructor* reconstructor);

/** Bands, step and axis that a model was trained for; those of SNAPCUBE_CAMERA_OPTIONS for methods that take any
 * camera. Offsets and wavelengths are set to NULL. `options->size` must be set. */
SNAPCUBE_C_API int snapcube_reconstructor_camera(const snapcube_reconstructor* reconstructor,
                                                 snapcube_camera_options* options);

/** Called while a reconstruction runs, by the thread that started it. The residual is ‖y − Φx‖ / ‖y‖; NaN where a
 * method has none. Return 0 to go on, anything else to stop. It may call this library, but not with the reconstructor
 * that called it. */
typedef int (*snapcube_progress)(int done, int total, double residual, void* user);

/** Reconstructs one frame into the caller's cube, which must have the camera's size and strides under which no two of
 * its values lie at the same place. Call it for one frame after the other: memory is planned with the first and kept.
 * The cube is written at the end, and only if all went well. SNAPCUBE_INTERRUPTED: the callback said so. */
SNAPCUBE_C_API int snapcube_reconstruct(snapcube_reconstructor* reconstructor, const snapcube_camera* camera,
                                        const snapcube_image* measurement, snapcube_cube* cube,
                                        snapcube_progress progress, void* user);

/** The error that a network expects at each pixel of the last cube: the mean over the bands of its absolute value, in
 * the cube's units. The image must have the camera's size. Fails for methods that have none, and before the first cube.
 */
SNAPCUBE_C_API int snapcube_expected_error(const snapcube_reconstructor* reconstructor, snapcube_image* error);

typedef struct snapcube_scores {
  double psnr, ssim, sam, ergas, rmse, uiqi;
} snapcube_scores;

/** How close a cube is to the truth. Protocol: "toolbox" (NULL too), "uint8" or "float". SSIM and UIQI are NaN where
 * the image is smaller than their windows. */
SNAPCUBE_C_API int snapcube_score(const snapcube_cube* cube, const snapcube_cube* truth, const char* protocol,
                                  snapcube_scores* scores);

/* ---- files --------------------------------------------------------------------------------------------------------
 */

enum { SNAPCUBE_MEASUREMENT = 0, SNAPCUBE_MASK = 1 };

/** Reads a cube from a file ("path" or "path:variable") into new memory: cube->data, which snapcube_free() releases,
 * and, unless `wavelengths` is NULL, *wavelengths, which snapcube_free() releases too; NULL where the file has none. */
SNAPCUBE_C_API int snapcube_read_cube(const char* location, snapcube_cube* cube, double** wavelengths);

/** Reads a SNAPCUBE_MEASUREMENT or a SNAPCUBE_MASK into new memory, image->data, which snapcube_free() releases. */
SNAPCUBE_C_API int snapcube_read_image(const char* location, int what, snapcube_image* image);

/** Writes a cube; the path's extension chooses the format. Wavelengths: one for each band, or NULL. The file is
 * complete or, when this fails, the old one untouched. */
SNAPCUBE_C_API int snapcube_write_cube(const snapcube_cube* cube, const double* wavelengths, const char* path);

/** Writes a SNAPCUBE_MEASUREMENT or a SNAPCUBE_MASK. */
SNAPCUBE_C_API int snapcube_write_image(const snapcube_image* image, int what, const char* path);

/* ---- something to try it with -------------------------------------------------------------------------------------
 */

/** Fills an image with independent pixels that are 1 with probability `density` and else 0. */
SNAPCUBE_C_API int snapcube_random_mask(double density, uint64_t seed, snapcube_image* mask);

/** Fills a cube with a synthetic scene ("chart", "still-life", "texture", "resolution") at these wavelengths (one for
 * each band, 380 … 780 nm). NULL: the published ones for 28 bands, else evenly from 450 to 650 nm. */
SNAPCUBE_C_API int snapcube_make_scene(const char* name, const double* wavelengths, uint64_t seed,
                                       snapcube_cube* scene);

#ifdef __cplusplus
}
#endif

#endif
