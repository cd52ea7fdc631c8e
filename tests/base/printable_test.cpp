#include "base/printable.h"

#include <snapcube/error.h>

#include "support.h"

namespace snapcube {
namespace {

TEST(Printable, ControlCharactersBecomeQuestionMarks) {
  EXPECT_EQ(printable("a\x1B[2J\nb\x7F\t"), "a?[2J?b??");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "?31m");  // the same as ESC [ for some terminals
  EXPECT_EQ(printable("λ = 450 nm, ×2, \xC2\xA0"), "λ = 450 nm, ×2, \xC2\xA0");
  EXPECT_EQ(printable("\xC2"), "\xC2");
}

TEST(Printable, NoMessageCarriesThemFromAFile) {
  const InputError error("a.mat", "'x\x1B]0;title\x07'", "two dimensions", "3\nsnapcube: all is well");
  EXPECT_STREQ(error.what(), "a.mat: 'x?]0;title?': expected two dimensions, found 3?snapcube: all is well");
}

TEST(Printable, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(shortened(std::string(200, 'a')), std::string(200, 'a'));
  EXPECT_EQ(shortened(std::string(201, 'a')), std::string(200, 'a') + "…");
  EXPECT_EQ(shortened(std::string(199, 'a') + "éa"), std::string(199, 'a') + "…");
}

}  // namespace
}  // namespace snapcube
