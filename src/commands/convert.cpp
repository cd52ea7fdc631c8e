// snapcube convert: any format to any other, with resampling and cropping; weights files too.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include <snapcube/snapcube.h>

#include "base/text.h"
#include "commands/commands.h"
#include "commands/description.h"
#include "commands/model_flags.h"
#include "commands/options.h"
#include "models/networks.h"
#include "optics/wavelength_text.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube convert scene01.mat scene01.h5
  snapcube convert beads_ms/ beads.mat --wavelengths published
  snapcube convert mask.mat mask256.mat --crop 100,100,256,256
  snapcube convert cube.npy cube.hdr --layout bhw --input-wavelengths 400:10:31 --interleave bil --type u16
  snapcube convert results.mat:pred[0] scene01.tif
  snapcube convert cube.mat scene01_ms/ --type u16          a folder of per-band PNGs
  snapcube convert mask_3d_shift.mat mask_3d.mat --as masks --step 2      masks per band, from the detector to the scene
  snapcube convert camera.h5 mask_3d_shift.mat --as masks --shifted       and back
  snapcube convert mask.mat camera.h5 --as camera --bands 28 --step 2     a camera file
  snapcube convert cst_s.pth cst_s.safetensors              PyTorch's weights for reconstruct --model)";

struct Convert {
  std::string input;
  std::string output;
  std::string as = "auto";
  std::string wavelengths;
  std::string interpolation = "linear";
  std::string crop;
  ReadFlags read;
  WriteFlags write_flags;
  ModelFlags model;
  bool half = false;
  bool shifted = false;
  std::optional<int> bands;
  std::string axis = "columns";
  std::string offsets;

  void run() const;
  void convert_cube() const;
  void convert_image() const;
  void convert_model() const;
  void convert_masks() const;
  void convert_to_camera() const;
  CameraOptions camera_options() const;
  Camera input_camera() const;
};

/// Three dimensions (four with an index) make a cube, two an image: by the array that was named, or by the largest rank
/// in the file.
std::string kind_of(const std::string& location, const ReadOptions& options) {
  const FileInfo info = describe(location, options);
  std::size_t rank = 0;
  for (const ArrayInfo& a : info.arrays) {
    const bool named =
        !a.name.empty() && (location.ends_with(":" + a.name) || location.find(":" + a.name + "[") != std::string::npos);
    if (named) return a.shape.size() - (location.ends_with(']') ? 1 : 0) > 2 ? "cube" : "measurement";
    if (a.readable) rank = std::max(rank, a.shape.size());
  }
  if (rank > 2) return "cube";
  return lower(location).find("mask") != std::string::npos ? "mask" : "measurement";
}

void Convert::convert_cube() const {
  Cube cube = read_cube(input, read.options());
  if (!crop.empty()) cube = snapcube::crop(cube, parse_region(crop, "--crop"));
  if (!wavelengths.empty()) {
    cube = resample(cube, parse_wavelengths(wavelengths, "--wavelengths"),
                    interpolation == "linear" ? Interpolation::linear : Interpolation::monotone, input);
  }
  write(cube, output, write_flags.options());
  tell_written(output, cube_text(cube));
}

void Convert::convert_image() const {
  if (!wavelengths.empty()) throw InputError("--wavelengths", "", "a cube to resample", "an image");
  const bool mask = as == "mask" || (as == "auto" && kind_of(input, read.options()) == "mask");
  Image image = mask ? read_mask(input, read.options()) : read_measurement(input, read.options());
  if (!crop.empty()) image = snapcube::crop(image, parse_region(crop, "--crop"));
  mask ? write_mask(image, output, write_flags.options()) : write_measurement(image, output, write_flags.options());
  tell_written(output, mask ? "mask" : "measurement", image);
}

void Convert::convert_model() const {
  if (!lower(output).ends_with(kWeightsExtension)) {
    throw InputError(output, "", "a name that ends in .safetensors, for weights", "another one");
  }
  ModelFlags flags = model;
  if (!wavelengths.empty()) flags.set("wavelengths", wavelengths);
  const LoadedWeights loaded = flags.read(input, read.options().max_bytes);
  write_weights(loaded.weights, output, half);
  tell_written(output, fmt::format("weights of {}, {} precision", network_title(loaded.weights.config.variant),
                                   half ? "half" : "single"));
}

CameraOptions Convert::camera_options() const {
  CameraOptions options;
  if (const std::string step = model.get("step"); !step.empty()) {
    const auto number = parse_int(step);
    if (!number || *number < -100'000 || *number > 100'000) {
      throw InputError("--step", "", "whole pixels", fmt::format("'{}'", step));
    }
    options.step = static_cast<int>(*number);
  }
  options.axis = axis == "rows" ? Axis::rows : Axis::columns;
  if (!offsets.empty()) options.offsets = parse_numbers(offsets, "--offsets");
  if (!wavelengths.empty()) options.wavelengths = parse_wavelengths(wavelengths, "--wavelengths");
  const std::size_t known = !options.offsets.empty() ? options.offsets.size() : options.wavelengths.size();
  options.bands = bands.value_or(known > 0 ? static_cast<int>(known) : options.bands);
  return options;
}

/// The masks of the input, a camera file or not, with the camera that the options tell.
Camera Convert::input_camera() const {
  if (is_camera_file(input)) return read_camera(input, read.options()).camera();
  MaskFile file = read_masks(input, read.options());
  if (file.masks.empty()) return Camera(std::move(file.mask), camera_options());
  if (file.shifted) file.masks = unshifted_masks(file.masks, camera_options(), input);
  return Camera(std::move(file.masks), camera_options());
}

void Convert::convert_masks() const {
  const Camera camera = input_camera();
  if (camera.plain() && !shifted) {
    throw InputError(input, "masks", "one for each band (or --shifted, to lay one where each band falls)",
                     "one for all");
  }
  Cube masks = shifted ? shifted_masks(camera) : camera.masks();
  masks.wavelengths = camera.wavelengths();
  if (!crop.empty()) masks = snapcube::crop(masks, parse_region(crop, "--crop"));
  WriteOptions options = write_flags.options();
  if (options.variable.empty()) options.variable = shifted ? "mask_3d_shift" : "mask_3d";
  write(masks, output, options);
}

void Convert::convert_to_camera() const {
  const Camera camera = input_camera();
  CameraFile file;
  if (camera.plain()) {
    file.mask = camera.mask();
  } else {
    file.masks = camera.masks();
  }
  file.axis = camera.axis();
  file.wavelengths = camera.wavelengths();
  file.positions = camera.offsets();
  file.provenance = {{"mask", input}, {"made by", "snapcube convert"}};
  write_camera(file, output);
}

void Convert::run() const {
  if (as == "masks") return convert_masks();
  if (as == "camera") return convert_to_camera();
  if (has_weights_extension(input) || has_weights_extension(output)) return convert_model();
  const std::string kind = as == "auto" ? kind_of(input, read.options()) : as;
  kind == "cube" ? convert_cube() : convert_image();
}

}  // namespace

void add_convert(CLI::App& program) {
  auto command = std::make_shared<Convert>();
  CLI::App* sub = program.add_subcommand("convert", "convert between formats; resample, crop; weights files too");
  sub->add_option("INPUT", command->input, "a file, file:variable, or a folder of PNGs")->required();
  sub->add_option("OUTPUT", command->output,
                  "the extension selects the format; a name that ends in / is a folder of PNGs")
      ->required();
  sub->add_option("--as", command->as,
                  "what the input is: cube, measurement, mask, masks (one for each band); camera: write a camera file")
      ->check(CLI::IsMember({"auto", "cube", "measurement", "mask", "masks", "camera"}))
      ->capture_default_str();
  sub->add_option(
      "--wavelengths", command->wavelengths,
      "resample to these, in nm: a list, FIRST:STEP:COUNT, or 'published'; of weights: what their bands are");
  sub->add_option("--interpolation", command->interpolation, "between wavelengths: linear or monotone (cubic)")
      ->check(CLI::IsMember({"linear", "monotone"}))
      ->capture_default_str();
  sub->add_option("--crop", command->crop, "keep this part: TOP,LEFT,HEIGHT,WIDTH");
  command->read.add_to(*sub);
  command->write_flags.add_to(*sub);
  command->model.add_to(*sub);
  const char* group = "Masks and cameras";
  sub->add_option("--bands", command->bands, "number of bands (default: 28)")
      ->check(CLI::Range(1, 100000))
      ->group(group);
  sub->add_option("--axis", command->axis, "direction of the dispersion: columns or rows")
      ->check(CLI::IsMember({"columns", "rows"}))
      ->capture_default_str()
      ->group(group);
  sub->add_option("--offsets", command->offsets, "position of every band in pixels, in place of --step")->group(group);
  sub->add_flag("--shifted", command->shifted, "write masks as they lie on the detector")->group(group);
  sub->add_flag("--half", command->half, "store weights in half precision")->group(kModelGroup);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
