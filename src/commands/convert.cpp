// snapcube convert: any format to any other, with resampling and cropping; weights files too.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

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

  void run() const;
  void convert_cube() const;
  void convert_image() const;
  void convert_model() const;
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

void Convert::run() const {
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
  sub->add_option("--as", command->as, "what the input is: cube, measurement, mask")
      ->check(CLI::IsMember({"auto", "cube", "measurement", "mask"}))
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
  sub->add_flag("--half", command->half, "store weights in half precision")->group(kModelGroup);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
