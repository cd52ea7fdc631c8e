// snapcube watch: every new frame becomes a cube, while the camera runs.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

#include <snapcube/snapcube.h>

#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/method_flags.h"
#include "commands/options.h"
#include "commands/watch_report.h"
#include "io/collection.h"
#include "live/folder_source.h"
#include "live/journal.h"
#include "live/receiver.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kExamples = R"(Examples:
  snapcube watch shots/ --camera camera.h5 -o cubes/
  snapcube watch shots/ --camera camera.h5 -o cubes/ --latest --passes 1 --refine none     as fast as it goes
  snapcube watch shots/ --raw 2448x2048:u16le --camera camera.h5 --dark dark.raw -o cubes/ --json

Every frame that comes into the folder is reconstructed once, in order of arrival, when it is complete: renamed into
place, or closed by its writer and unchanged since. Files that are broken, half-written or no frames are named and
passed over; one that is written again is a new frame. cubes/watch.jsonl notes what was done: a second call goes on from
there. When frames come faster than cubes they wait; with --latest only the newest does. Ctrl-C ends it; nothing is left
half-written.
)";

/// Frames of a stream that wait may take so much memory; then their sender waits.
constexpr std::uint64_t kMostWaiting = std::uint64_t{256} << 20;

struct Watch {
  std::string source;
  std::string mask_file;
  std::string output;
  std::string format = "mat";
  bool latest = false;
  bool json = false;
  std::optional<std::int64_t> most_frames;
  int settle = 10;
  ReadFlags read;
  WriteFlags write_flags;
  CameraFlags camera;
  FrameFlags frames;
  MethodFlags method;

  void check() const;
  void run() const;
  std::unique_ptr<live::FrameSource> open_source(const live::Journal* journal) const;
};

/// What turns the frames into cubes, one after the other.
class Worker {
 public:
  Worker(const Watch& watch, Reconstructor method, Camera camera, Detector detector, live::Journal* journal,
         WatchReport& report)
      : watch_(watch),
        method_(std::move(method)),
        camera_(std::move(camera)),
        detector_(std::move(detector)),
        journal_(journal),
        report_(report) {}

  /// Throws Interrupted when Ctrl-C came meanwhile; the frame then counts as not done.
  void work(const live::Frame& frame, const live::Backlog& backlog);
  void drop(const live::Frame& frame);

 private:
  /// `last`: of the frames in its file.
  void reconstruct(const live::Frame& frame, const RawImage& raw, const std::string& input, const std::string& name,
                   bool last, const live::Backlog& backlog);
  std::string name_of_cube(const live::Frame& frame) const;

  const Watch& watch_;
  Reconstructor method_;
  Camera camera_;
  Detector detector_;
  live::Journal* journal_;
  WatchReport& report_;
  PreparedFrame prepared_;
  Cube cube_;
  bool told_assumption_ = false;
};

/// The file's name without its ending; with it, where another file has that cube.
std::string Worker::name_of_cube(const live::Frame& frame) const {
  const std::string name = stem(frame.name);
  if (!journal_) return name;
  const std::string other = journal_->input_of(name + "." + watch_.format);
  return other.empty() || other == frame.name ? name : frame.name;
}

void Worker::work(const live::Frame& frame, const live::Backlog& backlog) {
  if (!frame.problem.empty()) {
    return report_.passed_over(frame.path.empty() ? frame.name : frame.path, frame.problem);
  }
  const ReadOptions options = watch_.read.options();
  const std::string name = name_of_cube(frame);
  try {
    const std::int64_t count = watch_.frames.count(frame.path, options);
    for (std::int64_t i = 0; i < count; ++i) {
      const RawImage raw = watch_.frames.counts(frame.path, i, count, options);
      const std::string part = count > 1 ? fmt::format("{}-{:04}", name, i + 1) : name;
      reconstruct(frame, raw, count > 1 ? fmt::format("{}:[{}]", frame.path, i) : frame.path, part,
                  i + 1 == count, backlog);
    }
  } catch (const InputError& error) {
    // What is being written again comes again when it is complete.
    if (live::stamp_of(frame.path) == frame.stamp) report_.passed_over(frame.path, error.what());
  }
}

void Worker::reconstruct(const live::Frame& frame, const RawImage& raw, const std::string& input,
                         const std::string& name, bool last, const live::Backlog& backlog) {
  if (!std::exchange(told_assumption_, true)) {
    const std::string sentence = FrameFlags::assumed(raw, detector_);
    if (!sentence.empty()) log_info(fmt::format("{}: {}", input, sentence));
  }
  FrameFlags::make_ready(raw, detector_, input, prepared_);
  camera_.check_measurement(prepared_.values, input);
  std::optional<Camera> weighed;  // what is saturated differs from frame to frame
  if (!prepared_.weights.empty()) weighed.emplace(camera_).set_weights(prepared_.weights);
  const Camera& device = weighed ? *weighed : camera_;
  WatchedCube done;
  done.input = input;
  done.arrived = frame.arrived;
  done.saturated = prepared_.saturated;
  done.bad = prepared_.bad;
  const auto start = live::Clock::now();
  method_.reconstruct(prepared_.values, device, cube_, [](const Progress&) { return !interrupted(); });
  done.seconds = std::chrono::duration<double>(live::Clock::now() - start).count();
  stop_if_interrupted();
  done.misfit = device.misfit(cube_, prepared_.values);
  if (journal_) {
    const std::string file = name + "." + watch_.format;
    done.output = (fs::path(watch_.output) / file).string();
    write(cube_, done.output, watch_.write_flags.options());
    if (last) journal_->add({frame.name, frame.stamp, file, done.seconds, done.misfit});
  }
  done.done = live::Clock::now();
  report_.cube(done, backlog.size());
}

void Worker::drop(const live::Frame& frame) {
  report_.dropped(frame.path.empty() ? frame.name : frame.path);
  if (journal_ && frame.stamp) journal_->add({frame.name, frame.stamp});
}

void Watch::check() const {
  std::error_code status;
  if (fs::exists(output, status) && !fs::is_directory(output, status)) {
    throw InputError("--output", "", "a folder", fmt::format("'{}'", output));
  }
  if (fs::is_directory(source, status) && fs::equivalent(source, output, status)) {
    throw InputError("--output", "", "another folder than the one that is watched: cubes are no frames",
                     fmt::format("'{}'", output));
  }
}

std::unique_ptr<live::FrameSource> Watch::open_source(const live::Journal* journal) const {
  live::FolderSource::Options options;
  options.times.closed = std::chrono::milliseconds(settle);
  const bool any = frames.raw_layout().has_value();
  options.is_frame = [any](const std::string& name) { return any || has_known_extension(name); };
  options.is_done = [journal, latest = latest](const std::string& name, const live::FileStamp& stamp) {
    return journal && journal->is_done(name, stamp, latest);
  };
  return std::make_unique<live::FolderSource>(source, std::move(options));
}

void Watch::run() const {
  check();
  Reconstructor reconstructor = method.open(camera, read, [] { return false; });
  Camera device = camera.device(mask_file, read.options(), reconstructor.camera_defaults());
  const MaskReport usable = inspect_mask(device.mask());
  if (!usable.usable) {
    throw InputError(fmt::format("{}: cannot be used as a mask. {}", mask_file.empty() ? camera.file_path() : mask_file,
                                 fmt::join(usable.findings, " ")));
  }
  Detector detector = frames.detector(camera, read.options());
  std::error_code status;
  if (!fs::is_directory(source, status)) throw InputError(source, "", "a folder to watch", "none");
  fs::create_directories(output);
  live::Journal journal(output);
  const auto frame_source = open_source(&journal);
  live::Backlog backlog(latest, kMostWaiting);
  WatchReport report(json);
  report.begin(source, reconstructor.method(), device, "");
  Worker worker(*this, std::move(reconstructor), std::move(device), std::move(detector), &journal, report);
  const live::Receiver receiver(*frame_source, backlog);
  try {
    while (!interrupted() && !backlog.ended() && report.cubes() < most_frames.value_or(INT64_MAX)) {
      const auto frame = backlog.take(50ms);
      for (const live::Frame& old : backlog.take_dropped()) worker.drop(old);
      if (frame) worker.work(*frame, backlog);
      report.status(backlog.size());
    }
  } catch (const Interrupted&) {
    // The normal end: the frame at hand is not done, and the next call begins with it.
  }
  report.end(interrupted());
}

}  // namespace

void add_watch(CLI::App& program) {
  auto command = std::make_shared<Watch>();
  CLI::App* sub = program.add_subcommand("watch", "reconstruct every frame as it arrives");
  sub->add_option("SOURCE", command->source, "the folder that frames come into")->required();
  sub->add_option("--mask", command->mask_file, "the coded aperture, or one for each band; or --camera");
  command->method.add_to(*sub);
  sub->add_option("-o,--output", command->output, "folder for the cubes")->required();
  sub->add_option("--format", command->format, "format of the cubes: mat, h5, npy, npz, hdr, tif")
      ->check(CLI::IsMember({"mat", "h5", "npy", "npz", "hdr", "tif"}))
      ->capture_default_str();
  sub->add_flag("--latest", command->latest, "when frames come faster than cubes, drop all that wait but the newest");
  sub->add_option("--frames", command->most_frames, "end after so many cubes")
      ->check(CLI::Range(std::int64_t{1}, INT64_MAX));
  sub->add_option("--settle", command->settle,
                  "milliseconds that a file must stay as it is after its writer has closed it")
      ->check(CLI::Range(0, 3'600'000))
      ->capture_default_str();
  sub->add_flag("--json", command->json, "print one JSON object a line: start, cube, dropped, passed over, end");
  command->camera.add_to(*sub);
  command->frames.add_to(*sub);
  command->read.add_to(*sub);
  command->write_flags.add_to(*sub);
  add_common_options(*sub);
  sub->footer([] { return kExamples + methods_text(); });
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
