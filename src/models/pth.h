#pragma once
// PyTorch's .pth files, as far as they hold a state_dict: tensors by name. Nothing in them is executed.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/cst_parameters.h"
#include "models/pth_container.h"
#include "models/weights.h"

namespace snapcube {

/// The tensors of a file, not yet their values.
class StateDict {
 public:
  StateDict(std::unique_ptr<PthContainer> file, std::string source, std::uint64_t file_size);

  /// Names (without prefixes that all of them share) and shapes, in the file's order, without counters of batches.
  const std::vector<ParameterShape>& shapes() const { return shapes_; }
  /// What was done to get at them, one sentence each: "The tensors are those of 'state_dict'."
  const std::vector<std::string>& notes() const { return notes_; }
  std::string format() const { return file_->format(); }

  /// The values as floats, in the order of shapes(). Throws InputError for integers, and when they would take more than
  /// max_bytes, or far more than the file.
  std::vector<NamedTensor> read(std::uint64_t max_bytes) const;

 private:
  void find_tensors();
  void strip_prefixes();
  void check_storages(const std::map<std::string_view, std::vector<std::size_t>>& by_storage, std::uint64_t most) const;

  std::unique_ptr<PthContainer> file_;
  std::string source_;
  std::uint64_t file_size_;
  std::vector<ParameterShape> shapes_;
  std::vector<const PthTensor*> tensors_;
  std::vector<std::string> notes_;
};

/// `file` is a whole file of either format; it must live as long as the result. Throws InputError.
StateDict open_pth(std::span<const std::byte> file, const std::string& source, std::uint64_t max_bytes);
bool is_pth(std::span<const std::byte> file);

}  // namespace snapcube
