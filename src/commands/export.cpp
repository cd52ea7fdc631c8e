// snapcube export: a network for other programs.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

#include <snapcube/snapcube.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/model_flags.h"
#include "commands/options.h"
#include "models/onnx.h"
#include "models/prism_form.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube export cst_s.safetensors cst_s.onnx
  snapcube export cst_s.pth cst_s.onnx --seed 7
  snapcube export models/prism-s.safetensors prism_s.onnx

A CST takes `measurement` and `mask`, and gives `cube` and `error_map`. Prism takes the camera with every measurement:
`masks` (one, or one for each band), `positions` of the bands on the detector in pixels, fractions too, and `weights` of
detector pixels (0 where one is dead; a single 1 for none). It gives `cube` and `expected_error`, in one pass.)";

struct Export {
  std::string input;
  std::string output;
  ModelFlags model;
  std::uint64_t max_bytes = WeightsRequest().max_bytes;

  void run() const {
    if (!lower(output).ends_with(".onnx")) throw InputError(output, "", "a name that ends in .onnx", "another one");
    const Weights weights = model.read(input, max_bytes).weights;
    const std::string bytes = to_onnx(weights, input);
    AtomicFile file(output);
    file.write(bytes.data(), bytes.size());
    file.commit();
    const char* inputs = find_prism_form(weights.config.variant) ? "measurement and camera" : "measurement and mask";
    log_info(fmt::format("{}: ONNX opset 17; {} in, cube out, of any size", output, inputs));
  }
};

}  // namespace

void add_export(CLI::App& program) {
  auto command = std::make_shared<Export>();
  CLI::App* sub = program.add_subcommand("export", "write a network as ONNX, for other programs");
  sub->add_option("MODEL", command->input, "weights: .safetensors, or PyTorch's .pth")->required();
  sub->add_option("OUTPUT", command->output, "a .onnx file")->required();
  command->model.add_to(*sub);
  add_max_memory(*sub, command->max_bytes);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
