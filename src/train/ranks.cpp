#include "train/ranks.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <snapcube/error.h>

#include "base/rank_variables.h"
#include "base/text.h"
#include "train/gradient_buckets.h"

namespace snapcube {

namespace {

class Alone : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void watch(const std::vector<torch::Tensor>&) override {}
  void begin_average() override {}
  void finish_average() override {}
  double mean(double value) override { return value; }
  double largest(double value) override { return value; }
  void broadcast(const std::vector<torch::Tensor>&) override {}
  std::string broadcast(const std::string& text) override { return text; }
};

/// A rank that is gone closes its connection, which the others see at once; this is for machines that fall silent, and
/// long enough for a validation on rank 0.
constexpr std::chrono::minutes kSilence{30};
constexpr std::chrono::seconds kMeeting{120};

class GlooRanks : public Ranks {
 public:
  GlooRanks(int rank, int size, const std::string& host, std::uint16_t port) : rank_(rank), size_(size) {
    c10d::TCPStoreOptions options;
    options.port = port;
    options.isServer = rank == 0;
    options.numWorkers = static_cast<std::size_t>(size);
    options.timeout = kMeeting;
    const auto store = c10::make_intrusive<c10d::TCPStore>(host, options);
    auto gloo = c10d::ProcessGroupGloo::Options::create(kSilence);
    // On loopback alone when the meeting point is this machine.
    const bool local = host == "localhost" || host.starts_with("127.");
    gloo->devices.push_back(local ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                  : c10d::ProcessGroupGloo::createDefaultDevice());
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, gloo);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void watch(const std::vector<torch::Tensor>& parameters) override {
    buckets_ = std::make_unique<GradientBuckets>(parameters, group_);
  }
  void begin_average() override { buckets_->begin(); }
  void finish_average() override { buckets_->finish(); }

  double mean(double value) override { return reduce(value, c10d::ReduceOp::SUM) / size_; }
  double largest(double value) override { return reduce(value, c10d::ReduceOp::MAX); }

  void broadcast(const std::vector<torch::Tensor>& tensors) override {
    const torch::NoGradGuard no_gradient;
    for (const torch::Tensor& tensor : tensors) {
      std::vector<torch::Tensor> list{tensor.detach().cpu().contiguous()};
      group_->broadcast(list)->wait();
      torch::Tensor target = tensor;
      target.copy_(list.front());
    }
  }

  std::string broadcast(const std::string& text) override {
    auto length = torch::tensor({static_cast<std::int64_t>(text.size())}, torch::kLong);
    broadcast(std::vector{length});
    auto bytes = torch::empty({length.item<std::int64_t>()}, torch::kByte);
    if (is_first()) std::memcpy(bytes.data_ptr(), text.data(), text.size());
    broadcast(std::vector{bytes});
    return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel())};
  }

 private:
  double reduce(double value, c10d::ReduceOp operation) {
    std::vector<torch::Tensor> list{torch::tensor({value}, torch::kDouble)};
    c10d::AllreduceOptions options;
    options.reduceOp = std::move(operation);
    group_->allreduce(list, options)->wait();
    return list.front().item<double>();
  }

  int rank_;
  int size_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::unique_ptr<GradientBuckets> buckets_;
};

}  // namespace

std::unique_ptr<Ranks> join_ranks() {
  const auto [rank, size] = rank_variables();
  if (size <= 1) return std::make_unique<Alone>();
  const char* host = std::getenv("MASTER_ADDR");
  const char* port_text = std::getenv("MASTER_PORT");
  const auto port = parse_int(port_text ? port_text : "");
  if (!host || !port || *port < 1 || *port > 65535) {
    throw InputError("MASTER_ADDR and MASTER_PORT", "", "where rank 0 can be reached",
                     fmt::format("'{}' and '{}'", host ? host : "", port_text ? port_text : ""));
  }
  try {
    return std::make_unique<GlooRanks>(rank, size, host, static_cast<std::uint16_t>(*port));
  } catch (const std::exception& error) {
    throw Error(fmt::format("rank {} of {}: the others were not met at {}:{} within {} s ({})", rank, size, host, *port,
                            kMeeting.count(), std::string(error.what()).substr(0, 200)));
  }
}

}  // namespace snapcube
