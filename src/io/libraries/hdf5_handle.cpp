#include "io/libraries/hdf5_handle.h"

#include <new>

namespace snapcube::io {

std::string hdf5_message() {
  std::string message = "something that HDF5 cannot read";
  const auto innermost = [](unsigned, const H5E_error2_t* error, void* text) noexcept -> herr_t {
    try {  // no exception may pass through the library, which is C
      if (error->desc && *error->desc) *static_cast<std::string*>(text) = error->desc;
    } catch (const std::bad_alloc&) {  // the text above has to do
    }
    return 1;  // the first one suffices
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &message);
  return message;
}

hid_t hdf5_type(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return H5T_NATIVE_UINT8;
    case ElementType::i8:
      return H5T_NATIVE_INT8;
    case ElementType::u16:
      return H5T_NATIVE_UINT16;
    case ElementType::i16:
      return H5T_NATIVE_INT16;
    case ElementType::u32:
      return H5T_NATIVE_UINT32;
    case ElementType::i32:
      return H5T_NATIVE_INT32;
    case ElementType::u64:
      return H5T_NATIVE_UINT64;
    case ElementType::i64:
      return H5T_NATIVE_INT64;
    case ElementType::f64:
      return H5T_NATIVE_DOUBLE;
    case ElementType::f16:
    case ElementType::f32:
      break;
  }
  return H5T_NATIVE_FLOAT;
}

}  // namespace snapcube::io
