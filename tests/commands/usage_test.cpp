// Words that are not known: which are suggested, and what is said.

#include "commands/usage.h"

#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::Result;
using Words = std::vector<std::string>;

TEST(NearestWords, BeginningsComeFirstThenFewChanges) {
  const Words commands = {"simulate", "reconstruct", "report", "view", "bench", "evaluate"};
  EXPECT_EQ(nearest_words("recon", commands), Words{"reconstruct"});
  EXPECT_EQ(nearest_words("re", commands), (Words{"reconstruct", "report"}));
  EXPECT_EQ(nearest_words("bnech", commands), Words{"bench"}) << "two letters swapped are one change";
  EXPECT_EQ(nearest_words("evalute", commands), Words{"evaluate"});
  EXPECT_EQ(nearest_words("raport", commands), Words{"report"});
  EXPECT_EQ(nearest_words("vieww", commands), Words{"view"});
  EXPECT_EQ(nearest_words("pear", commands), Words{});
  EXPECT_EQ(nearest_words("r", commands), Words{}) << "a letter says too little";
  EXPECT_EQ(nearest_words("", commands), Words{});
  EXPECT_EQ(nearest_words("view", {}), Words{});
}

TEST(NearestWords, DashesOfOptionsAreNoLetters) {
  const Words options = {"--mask", "--max-memory", "-o", "--output"};
  EXPECT_EQ(nearest_words("--msk", options), Words{"--mask"});
  EXPECT_EQ(nearest_words("--out", options), Words{"--output"});
  EXPECT_EQ(nearest_words("-x", options), Words{});
}

TEST(Usage, UnknownCommandsAreNamedWithTheNearest) {
  const Result recon = testing::snapcube("recon shot.mat");
  EXPECT_EQ(recon.code, 2);
  EXPECT_EQ(recon.output,
            "snapcube: 'recon' is not a command. Did you mean 'reconstruct'? `snapcube help` lists the commands.\n");
  EXPECT_EQ(testing::snapcube("pear").output,
            "snapcube: 'pear' is not a command. `snapcube help` lists the commands.\n");
  EXPECT_TRUE(contains(testing::snapcube("trian --help").output, "Did you mean 'train'?"));
  EXPECT_TRUE(contains(testing::snapcube("hlep").output, "Did you mean 'help'?"));
}

TEST(Usage, UnknownOptionsAreNamedWithTheNearest) {
  const Result option = testing::snapcube("reconstruct shot.mat --msk=mask.mat -o cube.mat");
  EXPECT_EQ(option.code, 2);
  EXPECT_EQ(option.output,
            "snapcube reconstruct: there is no option '--msk'. Did you mean '--mask'? `snapcube reconstruct --help` "
            "explains the options.\n");
  EXPECT_EQ(testing::snapcube("--versoin").output,
            "snapcube: there is no option '--versoin'. Did you mean '--version'? `snapcube --help` explains the "
            "options.\n");
}

TEST(Usage, OtherMistakesAreSaidInASentence) {
  for (const auto& [arguments, sentence] : {
           std::pair{"reconstruct shot.mat -o cube.mat",
                     "--mask: expected a mask file, or a camera file (--camera), found neither"},
           {"convert a.mat b.mat c.mat", "snapcube convert: 'c.mat' is one argument too many. `"},
           {"reconstruct s --mask m -o c --model a --method b", "--method cannot be combined with --model. `"},
           {"convert a.mat b.mat --as pear",
            "snapcube convert: --as: pear not in {auto,cube,measurement,mask,masks,camera}. `"},
       }) {
    const Result result = testing::snapcube(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(contains(result.output, sentence)) << result.output;
  }
}

TEST(Usage, NoArgumentsShowTheHelpAsAnError) {
  const Result nothing = testing::snapcube("");
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.output, testing::snapcube("--help").output);
}

TEST(Usage, HelpIsACommandToo) {
  for (const char* arguments : {"help", "help help", "help --help", "help version", "-h"}) {
    const Result help = testing::snapcube(arguments);
    EXPECT_EQ(help.code, 0) << arguments;
    EXPECT_EQ(help.output, testing::snapcube("--help").output) << arguments;
  }
  const Result command = testing::snapcube("help simulate");
  EXPECT_EQ(command.code, 0);
  EXPECT_EQ(command.output, testing::snapcube("simulate --help").output);
  const Result unknown = testing::snapcube("help simulat");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.output, "Did you mean 'simulate'?")) << unknown.output;
}

}  // namespace
}  // namespace snapcube
