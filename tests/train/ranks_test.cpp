// Several processes that train together, over loopback.

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <sys/socket.h>

#include "models/weights.h"
#include "train/checkpoints.h"
#include "training_process.h"

namespace snapcube::testing {
namespace {

namespace fs = std::filesystem;

/// A port that was free a moment ago.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

std::string place(int rank, int size, int port) {
  return "RANK=" + std::to_string(rank) + " WORLD_SIZE=" + std::to_string(size) +
         " MASTER_ADDR=127.0.0.1 MASTER_PORT=" + std::to_string(port);
}

double largest_difference(const std::string& a, const std::string& b) {
  const Weights first = read_weights(a, 1 << 24);
  const Weights second = read_weights(b, 1 << 24);
  double largest = 0;
  for (const auto& [name, tensor] : first.tensors) {
    const auto& other = second.tensors.at(name).values;
    for (std::size_t i = 0; i < other.size(); ++i) {
      largest = std::max(largest, static_cast<double>(std::abs(tensor.values[i] - other[i])));
    }
  }
  return largest;
}

TEST(RanksTest, TwoRanksEqualOneThatAccumulates) {
  const TinyTraining tiny;
  // A large epsilon of Adam's would hide differences; so would few steps. Gradients of 1e-8 decide nothing in either.
  const std::string settings = " --steps 10 --save-every 5";
  train(tiny, tiny.options("one") + settings + " --accumulate 2");
  const int port = free_port();
  TrainingProcess second(tiny.options("two") + settings, tiny.folder / "second.txt", place(1, 2, port));
  train(tiny, tiny.options("two") + settings, 0, place(0, 2, port));
  EXPECT_EQ(second.wait(), 0) << second.output();
  EXPECT_LT(largest_difference(tiny.folder / "one/last.safetensors", tiny.folder / "two/last.safetensors"), 1e-5);
  // Something was learnt at all.
  train(tiny, tiny.options("start") + " --steps 1 --accumulate 2");
  EXPECT_GT(largest_difference(tiny.folder / "one/last.safetensors", tiny.folder / "start/last.safetensors"), 1e-3);
}

TEST(RanksTest, AKilledRankStopsTheOthersAndTheRunGoesOnWithFewer) {
  const TinyTraining tiny;
  const std::string arguments = tiny.options("run") + " --steps 100000 --save-every 2";
  const int port = free_port();
  TrainingProcess first(arguments, tiny.folder / "first.txt", place(0, 2, port));
  TrainingProcess second(arguments, tiny.folder / "second.txt", place(1, 2, port));
  const Checkpoints checkpoints(tiny.folder.path() / "run/checkpoints", 0);
  for (int i = 0; i < 6000 && checkpoints.all().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_FALSE(checkpoints.all().empty()) << first.output();
  second.send(SIGKILL);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(first.wait(), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  expect_contains(first.output(), "lost the others");
  expect_contains(first.output(), "--resume");

  const auto reached = checkpoints.all().rbegin()->first;
  const std::string output = train(tiny, "--resume " + tiny.folder / "run" + " --steps " + std::to_string(reached + 3));
  expect_contains(output, "going on after step " + std::to_string(reached));
}

TEST(RanksTest, SaysWhatIsWrongWithTheVariables) {
  const TinyTraining tiny;
  expect_contains(train(tiny, tiny.options("run"), 2, "RANK=0 WORLD_SIZE=2"), "MASTER_ADDR");
  expect_contains(train(tiny, tiny.options("run"), 2, place(2, 2, 1234)), "RANK: expected below WORLD_SIZE");
  expect_contains(train(tiny, tiny.options("run"), 2, "RANK=x WORLD_SIZE=2"), "RANK: expected a whole number");
}

}  // namespace
}  // namespace snapcube::testing
