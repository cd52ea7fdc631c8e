// Requests to the viewer's server: the bytes that a connection would send. What is answered without the key is a
// refusal, and every answer is an HTTP answer.

#include <string>

#include "check.h"
#include "serve/server.h"

using namespace snapcube;

namespace {

/// Two small cubes and a model; made once.
struct Exhibition {
  Exhibition() {
    Cube cube(3, 5, 300);
    for (std::size_t i = 0; i < cube.size(); ++i) cube.data()[i] = static_cast<float>(i % 17) / 16;
    cube.wavelengths = {450, 550, 650};
    gallery.add("a", Role::cube, cube);
    gallery.add("b", Role::truth, cube);
    const auto method = [](std::optional<double> sigma) {
      return Reconstruction{Cube(1, 2, 2, static_cast<float>(sigma.value_or(0))), 0,
                            SparsityMap{Image(2, 2), {{0, 0, 1, 1}}}};
    };
    gallery.add_model("c", method, 0.5);
  }
  Gallery gallery;
  Site site{gallery, "key"};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Exhibition exhibition;
  const std::string raw(reinterpret_cast<const char*>(data), size);
  const std::string answer = exchange(exhibition.site, raw, 80);
  fuzzing::require(answer.starts_with("HTTP/1.1 "), "an answer begins with its status");
  const bool told = answer.starts_with("HTTP/1.1 200");
  fuzzing::require(!told || raw.find("/key/") != std::string::npos, "nothing is told without the key");
  // What the page asks for, straight: the first line as a target.
  const Answer direct = exhibition.site.answer(size % 2 ? "GET" : "POST", "/key/" + raw.substr(0, raw.find('\n')));
  fuzzing::require(direct.status >= 200 && direct.status <= 503, "an answer has a status");
  return 0;
}
