#pragma once
// Options that several commands share, so that they are called the same and mean the same everywhere.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/camera.h>
#include <snapcube/camera_file.h>
#include <snapcube/detector.h>
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

/// --camera, and what overrides it: --bands, --step, --axis, --offsets, --wavelengths, and a mask file.
class CameraFlags {
 public:
  void add_to(CLI::App& command);
  /// What was asked for; a number of bands that was not given follows from offsets or wavelengths, else bands, step and
  /// wavelengths are those of `defaults`.
  CameraOptions options(const CameraOptions& defaults = {}) const;
  bool bands_given() const;
  bool wavelengths_given() const { return !wavelengths_.empty() || file_given(); }

  bool file_given() const { return !file_.empty(); }
  /// Its path; empty without one.
  const std::string& file_path() const { return file_; }
  /// The camera file with the bands that were asked for. Read once.
  const CameraFile& file() const;
  /// The camera, with the mask of `mask_file` (also masks per band, shifted or not) or else of the camera file. Throws
  /// InputError when there is neither.
  Camera device(const std::string& mask_file, const ReadOptions& read, const CameraOptions& defaults = {}) const;
  /// What the camera file knows of the detector.
  Detector detector() const { return file_given() ? file().detector : Detector{}; }

 private:
  std::string file_;
  std::optional<int> bands_;
  std::optional<int> step_;
  std::string axis_;
  std::string offsets_;
  std::string wavelengths_;
  mutable std::shared_ptr<const CameraFile> read_file_;
};

/// --raw, --black-level, --dark, --flat, --saturation, --region, --binning, --flip, --rotate: what was done to a frame
/// before it became a file, and is to be undone.
class FrameFlags {
 public:
  void add_to(CLI::App& command);
  /// The detector with what was given in place of what the camera file says.
  Detector detector(const CameraFlags& camera, const ReadOptions& read) const;
  /// What is said on the command line, for another command.
  std::vector<std::string> arguments() const;
  /// Files have no header: any file may be a frame.
  bool without_header() const { return !raw_.empty(); }
  /// As it was given; empty: files say what they are.
  const std::string& raw_text() const { return raw_; }
  /// Whether the file holds counts, whose unit of light nobody knows.
  bool arbitrary_units(const std::string& location, const ReadOptions& read) const;
  /// The frame as methods take it. Tells what was assumed of counts without a camera file.
  void read_frame(const std::string& location, const Detector& detector, const ReadOptions& read,
                  PreparedFrame& frame) const;

  // The same in steps, for frames that come one after the other.

  /// How files without a header, and a pipe, are laid out: what --raw says; nothing without it.
  std::optional<RawLayout> raw_layout() const;
  /// Frames in a file, and the counts of one of them.
  std::int64_t count(const std::string& path, const ReadOptions& read) const;
  RawImage counts(const std::string& path, std::int64_t index, std::int64_t of, const ReadOptions& read) const;
  static void make_ready(const RawImage& raw, const Detector& detector, const std::string& source,
                         PreparedFrame& frame);
  /// What had to be assumed of these counts, as a sentence; empty where all is known.
  static std::string assumed(const RawImage& raw, const Detector& detector);

 private:
  mutable bool told_ = false;  ///< what is assumed, once for all frames
  std::string raw_;
  std::optional<double> black_level_;
  std::optional<double> saturation_;
  std::string dark_;
  std::string flat_;
  std::string region_;
  std::optional<int> binning_;
  std::string flip_;
  int rotation_ = 0;
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
