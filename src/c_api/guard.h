#pragma once
// The wall around the C functions: exceptions become codes and the thread's last error.

#include <exception>

#include <snapcube/snapcube_c.h>

namespace snapcube::c_api {

/// Notes what is being thrown as the thread's last error and returns its code. To be called in a catch block.
int note_exception() noexcept;

/// Runs the work; SNAPCUBE_OK unless it throws.
template <typename Work>
int guarded(const Work& work) noexcept {
  try {
    work();
    return SNAPCUBE_OK;
  } catch (...) {
    return note_exception();
  }
}

/// Throws InputError for a null pointer; `name` is that of the argument.
void check_given(const void* pointer, const char* name);

}  // namespace snapcube::c_api
