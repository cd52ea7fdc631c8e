#pragma once
/// Errors that a user can act on. Anything else that goes wrong is a bug in the library and fails an assertion.
///
/// Thread safety: exceptions are values. Every function of the library may throw Error, and std::bad_alloc.

#include <stdexcept>
#include <string>

namespace snapcube {

/// Something could not be done: a file cannot be written, memory does not suffice. The program exits with 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bad input: names the source (mostly a file), the field, what was expected and what was found.
/// The program exits with 2.
class InputError : public Error {
 public:
  /// "shot.mat: variable 'meas': expected two dimensions, found 4×5×6". An empty field is left out.
  InputError(const std::string& source, const std::string& field, const std::string& expected,
             const std::string& found);
  /// "shot.mat: no such file".
  InputError(const std::string& source, const std::string& sentence);
  /// For what has no field, such as an unknown option value.
  explicit InputError(const std::string& sentence) : Error(sentence) {}

  // The parts of the sentence; all empty where it was given as a whole.
  const std::string& source() const { return source_; }
  const std::string& field() const { return field_; }
  const std::string& expected() const { return expected_; }
  const std::string& found() const { return found_; }

 private:
  std::string source_;
  std::string field_;
  std::string expected_;
  std::string found_;
};

/// The user asked to stop (Ctrl-C, or a progress callback that returned false). The program exits with 130.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

}  // namespace snapcube
