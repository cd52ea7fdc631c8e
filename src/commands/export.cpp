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
#include "models/cst_onnx.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube export cst_s.safetensors cst_s.onnx
  snapcube export cst_s.pth cst_s.onnx --seed 7)";

struct Export {
  std::string input;
  std::string output;
  ModelFlags model;
  std::uint64_t max_bytes = WeightsRequest().max_bytes;

  void run() const {
    if (!lower(output).ends_with(".onnx")) throw InputError(output, "", "a name that ends in .onnx", "another one");
    const std::string bytes = cst_onnx(model.read(input, max_bytes).weights, input);
    AtomicFile file(output);
    file.write(bytes.data(), bytes.size());
    file.commit();
    log_info(fmt::format("{}: ONNX opset 17; measurement and mask in, cube out, of any size", output));
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
