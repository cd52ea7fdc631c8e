// MATLAB v5; v7.3 is hdf5's. Differential: what is accepted, matio must not read as anything else.

#include <cmath>
#include <cstring>
#include <matio.h>
#include <memory>
#include <vector>

#include <snapcube/error.h>

#include "check.h"
#include "io/mat5.h"

using namespace snapcube;
using namespace snapcube::io;

namespace {

template <typename T>
std::vector<double> doubles(const void* data, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

std::vector<double> values_of(const StoredArray& array) {
  const void* data = array.bytes.data();
  const std::size_t count = array.bytes.size() / element_size(array.type);
  switch (array.type) {
    case ElementType::u8:
      return doubles<std::uint8_t>(data, count);
    case ElementType::i8:
      return doubles<std::int8_t>(data, count);
    case ElementType::u16:
      return doubles<std::uint16_t>(data, count);
    case ElementType::i16:
      return doubles<std::int16_t>(data, count);
    case ElementType::u32:
      return doubles<std::uint32_t>(data, count);
    case ElementType::i32:
      return doubles<std::int32_t>(data, count);
    case ElementType::u64:
      return doubles<std::uint64_t>(data, count);
    case ElementType::i64:
      return doubles<std::int64_t>(data, count);
    case ElementType::f32:
      return doubles<float>(data, count);
    default:
      return doubles<double>(data, count);
  }
}

/// Empty for classes that are not compared.
std::vector<double> values_of(const matvar_t& array, std::size_t count) {
  switch (array.class_type) {
    case MAT_C_UINT8:
      return doubles<std::uint8_t>(array.data, count);
    case MAT_C_INT8:
      return doubles<std::int8_t>(array.data, count);
    case MAT_C_UINT16:
      return doubles<std::uint16_t>(array.data, count);
    case MAT_C_INT16:
      return doubles<std::int16_t>(array.data, count);
    case MAT_C_UINT32:
      return doubles<std::uint32_t>(array.data, count);
    case MAT_C_INT32:
      return doubles<std::int32_t>(array.data, count);
    case MAT_C_UINT64:
      return doubles<std::uint64_t>(array.data, count);
    case MAT_C_INT64:
      return doubles<std::int64_t>(array.data, count);
    case MAT_C_SINGLE:
      return doubles<float>(array.data, count);
    case MAT_C_DOUBLE:
      return doubles<double>(array.data, count);
    default:
      return {};
  }
}

void compare(const StoredArray& ours, const matvar_t& theirs) {
  fuzzing::require(std::ssize(ours.shape) == theirs.rank, "as many dimensions as matio sees");
  for (int i = 0; i < theirs.rank; ++i) {
    fuzzing::require(static_cast<std::size_t>(ours.shape[static_cast<std::size_t>(i)]) == theirs.dims[i],
                     "the sizes that matio sees");
  }
  const std::vector<double> mine = values_of(ours);
  if (theirs.nbytes < mine.size() * static_cast<std::size_t>(theirs.data_size)) return;
  const std::vector<double> other = values_of(theirs, mine.size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    fuzzing::require(mine[i] == other[i] || (std::isnan(mine[i]) && std::isnan(other[i])),
                     "the values that matio sees");
  }
}

/// matio is asked only where we accept every array of the file: it does not survive all others.
void compare_with_matio(std::span<const std::byte> bytes, const std::string& path) {
  std::vector<StoredArray> arrays;
  try {
    for (const ArrayInfo& described : list_mat5(bytes, path)) {
      arrays.push_back(load_mat5(bytes, described.name, path, fuzzing::kMaxBytes));
    }
  } catch (const Error&) {
    return;
  }
  const std::unique_ptr<mat_t, int (*)(mat_t*)> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), Mat_Close);
  if (!file) return;
  for (const StoredArray& array : arrays) {
    const std::unique_ptr<matvar_t, void (*)(matvar_t*)> variable(Mat_VarRead(file.get(), array.name.c_str()),
                                                                  Mat_VarFree);
    if (variable && variable->data && !variable->isComplex) compare(array, *variable);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzzing::as_span(data, size);
  if (!is_mat5(bytes)) return 0;
  const std::string path = fuzzing::put_file("x.mat", bytes);
  fuzzing::check_file(mat_format(), path);
  compare_with_matio(bytes, path);
  return 0;
}
