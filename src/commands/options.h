#pragma once
// Options that several commands share, so that they are called the same and mean the same everywhere.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/camera.h>
#include <snapcube/io.h>
#include <snapcube/render.h>

namespace CLI {
class App;
}

namespace snapcube {

/// --threads, --quiet.
void add_common_options(CLI::App& command);

/// --max-memory: no file may make the program take more, and a network divides what would need more.
void add_max_memory(CLI::App& command, std::uint64_t& bytes);

/// --layout, --input-wavelengths, --max-memory: how a file is to be read.
class ReadFlags {
 public:
  void add_to(CLI::App& command);
  ReadOptions options() const;
  bool max_memory_given() const { return max_bytes_ != ReadOptions().max_bytes; }
  /// As a network's setting.
  std::string max_memory_setting() const;

 private:
  std::string layout_ = "auto";
  std::string wavelengths_;
  std::uint64_t max_bytes_ = ReadOptions().max_bytes;
};

/// --type, --variable, --interleave, --v7.3: how a file is to be written.
class WriteFlags {
 public:
  void add_to(CLI::App& command);
  WriteOptions options() const;

 private:
  std::string type_ = "auto";
  std::string variable_;
  std::string interleave_ = "bsq";
  bool v73_ = false;
};

/// --bands, --step, --axis, --offsets, --wavelengths: the camera but for its mask.
class CameraFlags {
 public:
  void add_to(CLI::App& command);
  /// What was asked for; a number of bands that was not given follows from offsets or wavelengths, else bands, step and
  /// wavelengths are those of `defaults`.
  CameraOptions options(const CameraOptions& defaults = {}) const;
  bool bands_given() const;
  bool wavelengths_given() const { return !wavelengths_.empty(); }

 private:
  std::optional<int> bands_;
  std::optional<int> step_;
  std::string axis_ = "columns";
  std::string offsets_;
  std::string wavelengths_;
};

/// --grey-bands, --exposure, --light: how a preview looks.
class PreviewFlags {
 public:
  void add_to(CLI::App& command);
  /// With the spectra of a few places.
  PreviewOptions options(const Image& measurement, const Cube* truth) const;

 private:
  bool grey_bands_ = false;
  bool light_ = false;
  std::optional<double> exposure_;
};

/// "TOP,LEFT,HEIGHT,WIDTH".
Region parse_region(const std::string& text, const std::string& option);

}  // namespace snapcube
