/* A C program against the installed library: simulates a snapshot, reconstructs it, writes the cube. */
#include <snapcube/snapcube_c.h>
#include <stdio.h>
#include <stdlib.h>

/* What the struct layouts are on 64-bit machines; programs that were compiled before rely on them. */
_Static_assert(sizeof(void*) != 8 || sizeof(snapcube_image) == 32, "snapcube_image");
_Static_assert(sizeof(void*) != 8 || sizeof(snapcube_cube) == 48, "snapcube_cube");
_Static_assert(sizeof(void*) != 8 || sizeof(snapcube_camera_options) == 40, "snapcube_camera_options");
_Static_assert(sizeof(snapcube_sizes) == 20, "snapcube_sizes");
_Static_assert(sizeof(snapcube_scores) == 48, "snapcube_scores");

enum { SIZE = 64, BANDS = 28, DETECTOR = SIZE + 2 * (BANDS - 1) };

static float mask[SIZE * SIZE], shot[SIZE * DETECTOR], scene[BANDS * SIZE * SIZE], cube[BANDS * SIZE * SIZE];

static int count(int done, int total, double residual, void* user) {
  (void)residual;
  *(int*)user = done;
  return done > total;
}

static void check(int status) {
  if (status == SNAPCUBE_OK) return;
  fprintf(stderr, "%s\n", snapcube_last_error());
  exit(status);
}

int main(int argc, char** argv) {
  snapcube_image mask_image = {mask, SIZE, SIZE, 0, 0};
  snapcube_image shot_image = {shot, SIZE, DETECTOR, 0, 0};
  snapcube_cube scene_cube = {scene, BANDS, SIZE, SIZE, 0, 0, 0};
  snapcube_cube result = {cube, BANDS, SIZE, SIZE, 0, 0, 0};
  snapcube_camera_options options = SNAPCUBE_CAMERA_OPTIONS;
  snapcube_camera* camera = NULL;
  snapcube_reconstructor* method = NULL;
  snapcube_scores scores;
  double wavelengths[BANDS];
  int iterations = 0;
  if (argc != 2) return 2;
  check(snapcube_random_mask(0.5, 1, &mask_image));
  check(snapcube_make_scene("chart", NULL, 1, &scene_cube));
  check(snapcube_camera_create(&mask_image, &options, &camera));
  check(snapcube_camera_bands(camera, BANDS, NULL, wavelengths));
  check(snapcube_simulate(camera, &scene_cube, "none", 1, &shot_image));
  check(snapcube_reconstructor_open("gap-tv", NULL, &method));
  check(snapcube_reconstruct(method, camera, &shot_image, &result, count, &iterations));
  check(snapcube_score(&result, &scene_cube, NULL, &scores));
  check(snapcube_write_cube(&result, wavelengths, argv[1]));
  printf("snapcube %s: %.2f dB after %d iterations\n", snapcube_version(), scores.psnr, iterations);
  snapcube_reconstructor_free(method);
  snapcube_camera_free(camera);
  return 0;
}
