#pragma once
/// Snapcube: hyperspectral cubes from one snapshot of a CASSI camera.
///
///   auto camera = snapcube::Camera{snapcube::read_mask("mask.mat"), {.bands = 28, .step = 2}};
///   auto method = snapcube::Reconstructor::open("gap-tv");
///   snapcube::Cube cube = method.reconstruct(snapcube::read_measurement("shot.mat"), camera);
///   snapcube::write(cube, "cube.h5");
///
/// Thread safety: every header says it for what it declares. In short: different objects never interfere.

#include <snapcube/array.h>
#include <snapcube/calibration.h>
#include <snapcube/camera.h>
#include <snapcube/camera_file.h>
#include <snapcube/detector.h>
#include <snapcube/error.h>
#include <snapcube/io.h>
#include <snapcube/log.h>
#include <snapcube/mask.h>
#include <snapcube/metrics.h>
#include <snapcube/noise.h>
#include <snapcube/reconstructor.h>
#include <snapcube/reflectance.h>
#include <snapcube/render.h>
#include <snapcube/scene.h>
#include <snapcube/spectrum.h>
#include <snapcube/version.h>
#include <snapcube/view.h>
