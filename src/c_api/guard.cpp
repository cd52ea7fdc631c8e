#include "c_api/guard.h"

#include <array>
#include <cstddef>
#include <new>
#include <string>

#include <snapcube/error.h>

namespace snapcube::c_api {

namespace {

struct LastError {
  std::string sentence;
  std::array<std::string, 4> parts;
  /// Set where there was no memory for the sentence.
  const char* fixed = nullptr;
};

LastError& last_error() {
  thread_local LastError error;
  return error;
}

void note(const char* sentence) noexcept {
  LastError& last = last_error();
  for (std::string& part : last.parts) part.clear();
  last.fixed = nullptr;
  try {
    last.sentence = sentence;
  } catch (...) {
    last.fixed = "not enough memory";
  }
}

}  // namespace

int note_exception() noexcept {
  try {
    throw;
  } catch (const Interrupted& error) {
    note(error.what());
    return SNAPCUBE_INTERRUPTED;
  } catch (const InputError& error) {
    note(error.what());
    try {
      last_error().parts = {error.source(), error.field(), error.expected(), error.found()};
    } catch (...) {
      for (std::string& part : last_error().parts) part.clear();
    }
    return SNAPCUBE_BAD_INPUT;
  } catch (const std::bad_alloc&) {
    note("not enough memory");
  } catch (const std::exception& error) {
    note(error.what());
  } catch (...) {
    note("something that is no std::exception was thrown, by a callback presumably");
  }
  return SNAPCUBE_FAILED;
}

void check_given(const void* pointer, const char* name) {
  if (!pointer) throw InputError("snapcube", name, "a pointer", "a null pointer");
}

}  // namespace snapcube::c_api

const char* snapcube_last_error(void) {
  const auto& last = snapcube::c_api::last_error();
  return last.fixed ? last.fixed : last.sentence.c_str();
}

const char* snapcube_last_error_part(int part) {
  const auto& parts = snapcube::c_api::last_error().parts;
  return part >= 0 && part < static_cast<int>(parts.size()) ? parts[static_cast<std::size_t>(part)].c_str() : "";
}
