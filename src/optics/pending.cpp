#include <snapcube/spectrum.h>
namespace snapcube {
const std::vector<double>& published_wavelengths() {
  static const std::vector<double> k = {453.5, 457.5, 462.0, 466.0, 471.5, 476.5, 481.5,
                                        487.0, 492.5, 498.0, 504.0, 510.0, 516.0, 522.5,
                                        529.5, 536.5, 544.0, 551.5, 558.5, 567.5, 575.5,
                                        584.5, 594.5, 604.0, 614.5, 625.0, 636.5, 648.0};
  return k;
}
}  // namespace snapcube
