#pragma once
// The table of a paper: methods × scenes, PSNR over SSIM, the best in bold. As HTML, LaTeX and CSV.

#include <optional>
#include <string>
#include <vector>

#include <snapcube/metrics.h>

#include "report/method_column.h"

namespace snapcube {

class ScoreTable {
 public:
  ScoreTable(std::vector<MethodColumn> methods, std::vector<std::string> scenes, Protocol protocol);

  const std::vector<MethodColumn>& methods() const { return methods_; }
  const std::vector<std::string>& scenes() const { return scenes_; }

  void set(std::size_t method, std::size_t scene, const Scores& scores) { cell(method, scene) = scores; }
  /// Nothing where a method has no reconstruction of the scene.
  const std::optional<Scores>& at(std::size_t method, std::size_t scene) const {
    return cells_[method * scenes_.size() + scene];
  }
  /// Mean over the scenes; nothing unless the method has all of them.
  std::optional<Scores> mean(std::size_t method) const;

  std::string html() const;
  /// A tabular that needs no package; two lines a method.
  std::string latex() const;
  /// A table of Markdown; PSNR / SSIM in each cell.
  std::string markdown() const;
  /// A line for each method and scene, and one for each mean ("mean").
  std::string csv() const;

 private:
  std::optional<Scores>& cell(std::size_t method, std::size_t scene) { return cells_[method * scenes_.size() + scene]; }
  /// The scores of a scene, or of the mean for scene == scenes().size().
  std::optional<Scores> score(std::size_t method, std::size_t scene) const;
  /// Whether no method has more, compared as printed.
  bool is_best(std::size_t method, std::size_t scene, double Scores::*field, int decimals) const;

  std::vector<MethodColumn> methods_;
  std::vector<std::string> scenes_;
  Protocol protocol_;
  std::vector<std::optional<Scores>> cells_;
};

}  // namespace snapcube
