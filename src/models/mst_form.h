#pragma once
// The three sizes of MST.

#include <array>
#include <string_view>

namespace snapcube {

struct MstForm {
  const char* name;
  const char* title;
  std::array<int, 3> blocks;  ///< at full, half and quarter resolution
};

inline constexpr std::array<MstForm, 3> kMstForms = {
    {{"mst-s", "MST-S", {2, 2, 2}}, {"mst-m", "MST-M", {2, 4, 4}}, {"mst-l", "MST-L", {4, 7, 5}}}};

/// Null for another name.
inline const MstForm* find_mst_form(std::string_view name) {
  for (const MstForm& form : kMstForms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

}  // namespace snapcube
