#include "nets/data_step.h"

#include <algorithm>
#include <cmath>

#include "gradients/data_step.h"
#include "nets/planes.h"

namespace snapcube::nets {

namespace {

namespace F = torch::nn::functional;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// [bands, H, W] to [bands, H, W']: every band at its place.
torch::Tensor placed(const torch::Tensor& x, const std::vector<double>& positions, std::int64_t width) {
  std::vector<torch::Tensor> parts;
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    const double position = positions[static_cast<std::size_t>(b)];
    const auto whole = static_cast<std::int64_t>(std::floor(position));
    const double fraction = static_cast<float>(position - std::floor(position));
    const auto at = [&](std::int64_t left) {
      return F::pad(x[b], F::PadFuncOptions({left, width - x.size(2) - left}));
    };
    parts.push_back(fraction > 0 ? (1 - fraction) * at(whole) + fraction * at(whole + 1) : at(whole));
  }
  return torch::stack(parts);
}

Dispersion dispersion_of(const Capture& capture) {
  return {capture.positions, static_cast<int>(capture.masks.size(2))};
}

/// [H, W', W'], dense: T + μ of every row.
torch::Tensor rows_of_matrices(const DataTerm& term, const torch::Tensor& mu) {
  auto matrix = torch::diag_embed(term.diagonal + mu * term.scale);
  const auto beside = term.next.slice(1, 0, term.next.size(1) - 1);
  return matrix + torch::diag_embed(beside, 1) + torch::diag_embed(beside, -1);
}

class DataStepFunction : public torch::autograd::Function<DataStepFunction> {
 public:
  /// x [1, H, bands, W]; the other tensors as in DataTerm, masks [1, H, bands, W].
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& eta,
                               const torch::Tensor& mu, const torch::Tensor& masks, const torch::Tensor& measurement,
                               const torch::Tensor& roots, const torch::Tensor& diagonal, const torch::Tensor& next,
                               std::vector<double> positions, double scale) {
    auto out = torch::empty_like(x);
    auto solved = torch::empty_like(measurement);
    const Dispersion dispersion(positions, static_cast<int>(x.size(3)));
    const auto step = layer(dispersion, masks, measurement, roots, diagonal, next, eta, mu, scale);
    gradients::data_step(view(x), step, writable(out), solved.data_ptr<float>());
    context->save_for_backward({eta, mu, masks, measurement, roots, diagonal, next, solved});
    context->saved_data["positions"] = positions;
    context->saved_data["scale"] = scale;
    return out;
  }
  static tensor_list backward(AutogradContext* context, const tensor_list& gradient) {
    const tensor_list saved = context->get_saved_variables();
    const auto dout = gradient[0].contiguous();
    auto dx = torch::empty_like(dout);
    const double scale = context->saved_data["scale"].toDouble();
    const Dispersion dispersion(context->saved_data["positions"].toDoubleVector(), static_cast<int>(dout.size(3)));
    const auto step = layer(dispersion, saved[2], saved[3], saved[4], saved[5], saved[6], saved[0], saved[1], scale);
    const auto sums = gradients::data_step_backward(view(dout), step, saved[7].data_ptr<float>(), writable(dx));
    const auto none = torch::Tensor();
    return {dx,
            torch::full_like(saved[0], sums.eta),
            torch::full_like(saved[1], sums.mu * scale),
            none,
            none,
            none,
            none,
            none,
            none,
            none};
  }

 private:
  static gradients::DataStep layer(const Dispersion& dispersion, const torch::Tensor& masks,
                                   const torch::Tensor& measurement, const torch::Tensor& roots,
                                   const torch::Tensor& diagonal, const torch::Tensor& next, const torch::Tensor& eta,
                                   const torch::Tensor& mu, double scale) {
    gradients::DataStep step;
    step.dispersion = &dispersion;
    step.masks = view(masks);
    step.measurement = measurement.data_ptr<float>();
    step.roots = roots.numel() > 0 ? roots.data_ptr<float>() : nullptr;
    step.diagonal = diagonal.data_ptr<float>();
    step.next = next.numel() > 0 ? next.data_ptr<float>() : nullptr;
    step.eta = eta.item<float>();
    step.mu = static_cast<float>(mu.item<double>() * scale);
    return step;
  }
};

/// Below this part of the mean, a detector pixel sees no light.
constexpr double kDarkest = 1e-3;

torch::Tensor or_empty(const torch::Tensor& x) { return x.defined() ? x.contiguous() : torch::empty({0}); }

}  // namespace

torch::Tensor project(const Capture& capture, const torch::Tensor& x) {
  return placed(capture.masks * x, capture.positions, capture.measurement.size(1)).sum(0);
}

torch::Tensor shift_back(const Capture& capture, const torch::Tensor& s) {
  const auto width = capture.masks.size(2);
  std::vector<torch::Tensor> parts;
  for (const double position : capture.positions) {
    const auto whole = static_cast<std::int64_t>(std::floor(position));
    const double fraction = static_cast<float>(position - std::floor(position));
    const auto at = [&](std::int64_t left) { return s.slice(1, left, left + width); };
    parts.push_back(fraction > 0 ? (1 - fraction) * at(whole) + fraction * at(whole + 1) : at(whole));
  }
  return torch::stack(parts);
}

torch::Tensor back_project(const Capture& capture, const torch::Tensor& s) {
  return capture.masks * shift_back(capture, s);
}

DataTerm data_term(const Capture& capture) {
  const torch::NoGradGuard no_gradient;
  DataTerm term;
  term.capture = capture;
  const auto flat = project(capture, torch::ones_like(capture.masks));
  const auto& w = capture.weights;
  const auto sum = [&](const torch::Tensor& x) { return (w.defined() ? w * x : x).sum(torch::kDouble).item<double>(); };
  const double light = sum(flat);
  const double brightness = light > 0 ? sum(capture.measurement) / light : 0;
  term.brightness = brightness > 0 && std::isfinite(brightness) ? brightness : 1;
  term.capture.measurement = (capture.measurement / term.brightness).contiguous();

  const Dispersion dispersion = dispersion_of(capture);
  const auto masks = capture.masks.permute({1, 0, 2}).contiguous();  // [H, bands, W]
  const auto height = masks.size(0);
  const auto width = capture.measurement.size(1);
  term.diagonal = torch::empty({height, width});
  if (!dispersion.is_whole()) term.next = torch::empty({height, width});
  for (std::int64_t y = 0; y < height; ++y) {
    gram_row(dispersion, {masks[y].data_ptr<float>(), static_cast<std::size_t>(masks.size(2))},
             term.diagonal[y].data_ptr<float>(), term.next.defined() ? term.next[y].data_ptr<float>() : nullptr);
  }
  if (w.defined()) {
    term.roots = w.sqrt().contiguous();
    term.diagonal *= w;
    if (term.next.defined()) {
      const auto after = torch::cat({term.roots.slice(1, 1, width), torch::zeros({height, 1})}, 1);
      term.next *= term.roots * after;
    }
  }
  const auto darkest = static_cast<float>(kDarkest * light / static_cast<double>(flat.numel()));
  term.level = torch::empty({height, width});
  const auto lit = flat.contiguous();
  const auto used = w.defined() ? w.contiguous() : torch::Tensor();
  for (std::int64_t y = 0; y < height; ++y) {
    level_row(term.capture.measurement[y].data_ptr<float>(), lit[y].data_ptr<float>(),
              used.defined() ? used[y].data_ptr<float>() : nullptr, darkest, static_cast<int>(width),
              term.level[y].data_ptr<float>());
  }
  const double open = (term.diagonal > 0).sum().item<double>();
  term.scale = open > 0 ? term.diagonal.sum(torch::kDouble).item<double>() / open : 1;
  return term;
}

torch::Tensor data_step(const DataTerm& term, const torch::Tensor& x, const torch::Tensor& eta,
                        const torch::Tensor& mu) {
  auto r = term.capture.measurement - project(term.capture, x[0]);
  if (term.roots.defined()) r = term.roots * r;
  auto s =
      term.next.defined() ? torch::linalg_solve(rows_of_matrices(term, mu), r) : r / (term.diagonal + mu * term.scale);
  if (term.roots.defined()) s = term.roots * s;
  return x + eta * back_project(term.capture, s).unsqueeze(0);
}

torch::Tensor fast_data_step(const DataTerm& term, const torch::Tensor& x, const torch::Tensor& eta,
                             const torch::Tensor& mu) {
  return map_of(DataStepFunction::apply(rows_of(x), eta, mu, rows_of(term.capture.masks.unsqueeze(0)),
                                        term.capture.measurement, or_empty(term.roots), or_empty(term.diagonal),
                                        or_empty(term.next), term.capture.positions, term.scale));
}

}  // namespace snapcube::nets
