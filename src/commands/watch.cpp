// snapcube watch: every new frame becomes a cube, while the camera runs.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <unistd.h>

#include <snapcube/snapcube.h>

#include "commands/browser.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/method_flags.h"
#include "commands/options.h"
#include "commands/watch_report.h"
#include "commands/watch_view.h"
#include "io/collection.h"
#include "live/folder_source.h"
#include "live/genicam_source.h"
#include "live/journal.h"
#include "live/pipe_source.h"
#include "live/receiver.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kExamples = R"(Examples:
  snapcube watch shots/ --camera camera.h5 -o cubes/
  snapcube watch shots/ --camera camera.h5 -o cubes/ --latest --passes 1 --refine none     as fast as it goes
  snapcube watch shots/ --raw 2448x2048:u16le --camera camera.h5 --dark dark.raw -o cubes/ --json
  snapcube watch shots/ --camera camera.h5 --view --latest       the newest in the browser; no cubes are written
  my-camera-program | snapcube watch - --raw 2448x2048:mono12packed --camera camera.h5 -o cubes/
  snapcube watch --genicam --camera camera.h5 --view --latest    the first machine-vision camera that is found

Every frame that comes into the folder is reconstructed once, in order of arrival, when it is complete: renamed into
place, or closed by its writer and unchanged since. Files that are broken, half-written or no frames are named and
passed over; one that is written again is a new frame. cubes/watch.jsonl notes what was done: a second call goes on from
there. When frames come faster than cubes they wait; with --latest only the newest does. Ctrl-C ends it; nothing is left
half-written.

A pipe brings frames without headers, one after the other; --raw says what they are. A camera sends Mono8 … Mono16,
Mono10Packed or Mono12Packed, as it is set. Their cubes are numbered, and numbered on after a restart.
)";

/// Frames of a stream that wait may take so much memory; then their sender waits.
constexpr std::uint64_t kMostWaiting = std::uint64_t{256} << 20;

struct Watch {
  std::string source;
  bool use_camera = false;
  std::string camera_id;
  std::string mask_file;
  std::string output;
  std::string format = "mat";
  bool view = false;
  int port = 0;
  bool open = true;
  bool latest = false;
  bool json = false;
  std::optional<std::int64_t> most_frames;
  int settle = 10;
  ReadFlags read;
  WriteFlags write_flags;
  CameraFlags camera;
  FrameFlags frames;
  MethodFlags method;

  bool is_pipe() const { return source == "-"; }
  bool is_folder() const { return !use_camera && !is_pipe(); }
  void check() const;
  void run() const;
  std::unique_ptr<live::FrameSource> open_folder(const live::Journal* journal) const;
};

/// What turns the frames into cubes, one after the other.
class Worker {
 public:
  /// journal: where nothing is written, null. view: null without a page.
  Worker(const Watch& watch, Reconstructor method, Camera camera, Detector detector, live::Journal* journal,
         WatchView* view, WatchReport& report)
      : watch_(watch),
        method_(std::move(method)),
        camera_(std::move(camera)),
        detector_(std::move(detector)),
        journal_(journal),
        view_(view),
        report_(report) {}

  /// Throws Interrupted when Ctrl-C came meanwhile; the frame then counts as not done.
  void work(const live::Frame& frame, const live::Backlog& backlog);
  void drop(const live::Frame& frame);

 private:
  /// `last`: of the frames in its file.
  void reconstruct(const live::Frame& frame, const RawImage& raw, const std::string& input, const std::string& name,
                   bool last, const live::Backlog& backlog);
  void show(const live::Frame& frame, std::size_t waiting);
  std::string name_of_cube(const live::Frame& frame) const;

  const Watch& watch_;
  Reconstructor method_;
  Camera camera_;
  Detector detector_;
  live::Journal* journal_;
  WatchView* view_;
  WatchReport& report_;
  PreparedFrame prepared_;
  Cube cube_;
  bool told_assumption_ = false;
};

double seconds_since(live::Clock::time_point start) {
  return std::chrono::duration<double>(live::Clock::now() - start).count();
}

/// The file's name without its ending; with it, where another file has that cube. "frame 12" → "frame-000012".
std::string Worker::name_of_cube(const live::Frame& frame) const {
  if (const auto number = live::number_of(frame)) return fmt::format("frame-{:06}", *number);
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
    if (frame.path.empty()) {
      RawImage raw{Image(), true, frame.layout.largest()};
      unpack_frame(frame.bytes.data(), frame.layout, raw.counts);
      return reconstruct(frame, raw, frame.name, name, true, backlog);
    }
    const std::int64_t count = watch_.frames.count(frame.path, options);
    for (std::int64_t i = 0; i < count; ++i) {
      const RawImage raw = watch_.frames.counts(frame.path, i, count, options);
      const std::string part = count > 1 ? fmt::format("{}-{:04}", name, i + 1) : name;
      reconstruct(frame, raw, count > 1 ? fmt::format("{}:[{}]", frame.path, i) : frame.path, part, i + 1 == count,
                  backlog);
    }
  } catch (const InputError& error) {
    // What is being written again comes again when it is complete.
    if (frame.path.empty() || live::stamp_of(frame.path) == frame.stamp) {
      report_.passed_over(frame.path.empty() ? frame.name : frame.path, error.what());
    }
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
  auto told = start;
  method_.reconstruct(prepared_.values, device, cube_, [&](const Progress& p) {
    if (live::Clock::now() - told > 1s) {
      told = live::Clock::now();
      report_.status(backlog.size(), static_cast<double>(p.iteration) / p.total);
    }
    return !interrupted();
  });
  done.seconds = seconds_since(start);
  stop_if_interrupted();
  if (view_) {
    show(frame, backlog.size());
    done.shown = seconds_since(frame.arrived);
  }
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

void Worker::show(const live::Frame& frame, std::size_t waiting) {
  LiveState state;
  state.frame = frame.name;
  state.cubes = report_.cubes() + 1;
  state.per_second = report_.rate().per_second(live::Clock::now());
  state.latency = seconds_since(frame.arrived);
  state.waiting = waiting;
  state.dropped = report_.dropped();
  state.passed_over = report_.passed_over();
  view_->show(cube_, prepared_.values, std::move(state));
}

void Worker::drop(const live::Frame& frame) {
  report_.dropped(frame.path.empty() ? frame.name : frame.path);
  if (journal_ && frame.stamp) journal_->add({frame.name, frame.stamp});
}

void Watch::check() const {
  if (use_camera != source.empty()) {
    throw InputError("watch", "", "a folder, '-' for a pipe, or --genicam", use_camera ? "two of them" : "none");
  }
  if (output.empty() && !view) throw InputError("watch", "", "a folder for the cubes (-o), or --view", "neither");
  if (is_pipe() && !frames.raw_layout()) {
    throw InputError("--raw", "", "what the frames of the pipe are, such as 2448x2048:u16le", "nothing");
  }
  if (is_pipe() && ::isatty(STDIN_FILENO)) throw InputError("-", "", "frames from a pipe", "a terminal");
  std::error_code status;
  if (is_folder() && !fs::is_directory(source, status)) {
    throw InputError(source, "", "a folder to watch", fs::exists(source, status) ? "a file" : "none");
  }
  if (output.empty()) return;
  if (fs::exists(output, status) && !fs::is_directory(output, status)) {
    throw InputError("--output", "", "a folder", fmt::format("'{}'", output));
  }
  if (is_folder() && fs::equivalent(source, output, status)) {
    throw InputError("--output", "", "another folder than the one that is watched: cubes are no frames",
                     fmt::format("'{}'", output));
  }
}

std::unique_ptr<live::FrameSource> Watch::open_folder(const live::Journal* journal) const {
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
  Reconstructor reconstructor = method.open(camera, mask_file, read, [] { return false; });
  Camera device = camera.device(mask_file, read.options(), reconstructor.camera_defaults());
  const MaskReport usable = inspect_mask(device.mask());
  if (!usable.usable) {
    throw InputError(fmt::format("{}: cannot be used as a mask. {}", mask_file.empty() ? camera.file_path() : mask_file,
                                 fmt::join(usable.findings, " ")));
  }
  Detector detector = frames.detector(camera, read.options());
  std::unique_ptr<live::FrameSource> frame_source;
  std::string name = is_pipe() ? "a pipe" : source;
  live::GenicamSource* sender = nullptr;
  if (use_camera) {  // before anything is written: it may not be there
    auto opened = std::make_unique<live::GenicamSource>(camera_id);
    sender = opened.get();
    name = sender->camera().name();
    frame_source = std::move(opened);
  }
  std::optional<live::Journal> journal;
  if (!output.empty()) {
    fs::create_directories(output);
    journal.emplace(output);
  }
  live::Journal* const noted = journal ? &*journal : nullptr;
  const std::int64_t first = journal ? journal->last_number() + 1 : 1;
  if (sender) sender->count_from(first);
  if (is_pipe()) frame_source = std::make_unique<live::PipeSource>(STDIN_FILENO, *frames.raw_layout(), first);
  if (is_folder()) frame_source = open_folder(noted);
  std::optional<WatchView> page;
  if (view) page.emplace(port, reconstructor.method());
  WatchReport report(json);
  report.begin(name, reconstructor.method(), device, page ? page->address() : "");
  if (page && open) open_browser(page->address());
  Worker worker(*this, std::move(reconstructor), std::move(device), std::move(detector), noted, page ? &*page : nullptr,
                report);
  live::Backlog backlog(latest, kMostWaiting);
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
  sub->add_option("SOURCE", command->source, "the folder that frames come into, or - for a pipe");
  sub->add_option_function<std::vector<std::string>>(
         "--genicam",
         [command](const std::vector<std::string>& id) {
           command->use_camera = true;
           if (!id.empty()) command->camera_id = id.front();
         },
         "a machine-vision camera: its name, serial number or address; alone: the first that is found")
      ->expected(0, 1);
  sub->add_option("--mask", command->mask_file, "the coded aperture, or one for each band; or --camera");
  command->method.add_to(*sub);
  sub->add_option("-o,--output", command->output, "folder for the cubes; may be left out with --view");
  sub->add_option("--format", command->format, "format of the cubes: mat, h5, npy, npz, hdr, tif")
      ->check(CLI::IsMember({"mat", "h5", "npy", "npz", "hdr", "tif"}))
      ->capture_default_str();
  sub->add_flag("--view", command->view, "show the newest cube in the browser");
  sub->add_option("--port", command->port, "of the page, on 127.0.0.1 (default: any that is free)")
      ->check(CLI::Range(1, 65535));
  sub->add_flag("--open,!--no-open", command->open, "open the browser (default: if there is a screen)");
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
