#pragma once
// What the tests of the training data share.

#include <string>
#include <vector>

#include <snapcube/log.h>

#include "samples/samples.h"

namespace snapcube::testing {

/// Keeps what the library logs; silent afterwards.
class LogText {
 public:
  LogText() {
    set_log_sink([this](LogLevel level, std::string_view message) {
      text_ += (level == LogLevel::warning ? "warning: " : "") + std::string(message) + '\n';
    });
  }
  ~LogText() { set_log_sink({}); }
  LogText(const LogText&) = delete;
  LogText& operator=(const LogText&) = delete;

  const std::string& text() const { return text_; }
  bool has(const std::string& part) const { return text_.find(part) != std::string::npos; }

 private:
  std::string text_;
};

/// Scenes whose every value tells where it is from.
class CodedScenes : public SceneStore {
 public:
  static constexpr int kScenes = 3;
  struct Place {
    int scene, band, y, x;
    bool operator==(const Place&) const = default;
  };

  explicit CodedScenes(int bands = 3) : bands_(bands) {
    for (int s = 0; s < kScenes; ++s) {
      names_.push_back("scene" + std::to_string(s));
      auto& values = values_.emplace_back();
      for (int i = 0; i < bands * height(s) * width(s); ++i)
        values.push_back(static_cast<std::uint16_t>(i * kScenes + s));
    }
  }

  std::size_t count() const override { return kScenes; }
  int bands() const override { return bands_; }
  const std::string& name(std::size_t scene) const override { return names_[scene]; }
  int height(std::size_t scene) const override { return 13 + static_cast<int>(scene); }
  int width(std::size_t scene) const override { return 24 - 3 * static_cast<int>(scene); }
  const std::uint16_t* values(std::size_t scene) const override { return values_[scene].data(); }

  Place place(float value) const {
    const int code = static_cast<int>(value * 65535 + 0.5f);
    const int s = code % kScenes;
    const int i = code / kScenes;
    return {s, i / (height(s) * width(s)), i / width(s) % height(s), i % width(s)};
  }

 private:
  int bands_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::uint16_t>> values_;
};

/// For CodedScenes; random binary masks, no noise.
inline TrainConfig small_config(int bands = 3) {
  TrainConfig config;
  config.model.bands = bands;
  config.model.wavelengths = {};
  config.crop = 11;
  config.batch = 6;
  config.masks = {{.kind = MaskSource::Kind::binary}};
  return config;
}

}  // namespace snapcube::testing
