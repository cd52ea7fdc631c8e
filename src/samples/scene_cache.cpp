#include "samples/scene_cache.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/log.h>

namespace snapcube {

namespace {

constexpr std::string_view kMagic = "SNAPSCNS";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint64_t kAlignment = 64;
/// No scene is higher or wider.
constexpr std::uint32_t kMostPixels = 1u << 24;

struct Header {
  char magic[8] = {};
  std::uint32_t version = kVersion;
  std::uint32_t byte_order = kByteOrder;
  std::uint64_t file_size = 0;
  std::uint64_t table = 0;
  std::uint64_t checksum = 0;
  std::uint32_t bands = 0;
  std::uint32_t scenes = 0;
  std::uint64_t unused[2] = {};
};
static_assert(sizeof(Header) == kAlignment);

/// FNV-1a.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

template <typename T>
void append(std::string& table, const T& value) {
  table.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// What makes a cache unusable; becomes a line in the log.
struct Damaged {
  std::string reason;
};

void require(bool condition, const char* otherwise) {
  if (!condition) throw Damaged{otherwise};
}

/// Reads the table from front to back, never beyond its end.
class TableReader {
 public:
  explicit TableReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T number() {
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text(std::uint64_t size) { return take(size); }
  bool finished() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    require(size <= rest_.size(), "its table ends too early");
    const std::string_view front = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return front;
  }
  std::string_view rest_;
};

/// A file mapped for reading.
class Mapping {
 public:
  Mapping() = default;
  Mapping(int file, std::size_t size) : size_(size) {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (address != MAP_FAILED) data_ = static_cast<const char*>(address);
  }
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping() {
    if (data_) ::munmap(const_cast<char*>(data_), size_);
  }

  bool valid() const { return data_ != nullptr; }
  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

class MappedStore : public SceneStore {
 public:
  struct Scene {
    std::string name;
    int height;
    int width;
    const std::uint16_t* values;
  };
  MappedStore(Mapping mapping, std::vector<Scene> scenes, int bands)
      : mapping_(std::move(mapping)), scenes_(std::move(scenes)), bands_(bands) {}

  std::size_t count() const override { return scenes_.size(); }
  int bands() const override { return bands_; }
  const std::string& name(std::size_t scene) const override { return scenes_[scene].name; }
  int height(std::size_t scene) const override { return scenes_[scene].height; }
  int width(std::size_t scene) const override { return scenes_[scene].width; }
  const std::uint16_t* values(std::size_t scene) const override { return scenes_[scene].values; }

 private:
  Mapping mapping_;
  std::vector<Scene> scenes_;
  int bands_;
};

/// The whole table, checked; nothing when the key is another one.
std::unique_ptr<SceneStore> read_cache(Mapping mapping, const std::string& key, int bands) {
  const std::string_view bytes = mapping.bytes();
  require(bytes.size() >= sizeof(Header), "it is shorter than its header");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kVersion) throw Damaged{fmt::format("it is of version {}, not {}", header.version, kVersion)};
  require(header.byte_order == kByteOrder, "it was written by a machine of the other byte order");
  require(header.file_size == bytes.size(), "its size is not the one it was written with");
  require(header.table >= sizeof header && header.table <= bytes.size(), "its table lies outside");
  require(checksum(bytes.substr(header.table)) == header.checksum, "its table is damaged");

  TableReader table(bytes.substr(header.table));
  if (table.text(table.number<std::uint64_t>()) != key || header.bands != static_cast<std::uint32_t>(bands)) {
    return nullptr;
  }
  std::vector<MappedStore::Scene> scenes;
  for (std::uint32_t i = 0; i < header.scenes; ++i) {
    const auto offset = table.number<std::uint64_t>();
    const auto height = table.number<std::uint32_t>();
    const auto width = table.number<std::uint32_t>();
    const std::string_view name = table.text(table.number<std::uint32_t>());
    require(height >= 1 && height <= kMostPixels && width >= 1 && width <= kMostPixels, "a scene has no usable size");
    require(offset % kAlignment == 0 && offset >= sizeof header && offset <= header.table, "a scene lies outside");
    const std::uint64_t room = (header.table - offset) / sizeof(std::uint16_t) / header.bands;
    require(std::uint64_t{height} * width <= room, "a scene lies outside");
    scenes.push_back({std::string(name), static_cast<int>(height), static_cast<int>(width),
                      reinterpret_cast<const std::uint16_t*>(bytes.data() + offset)});
  }
  require(!scenes.empty() && table.finished(), "its table is not what it should be");
  return std::make_unique<MappedStore>(std::move(mapping), std::move(scenes), bands);
}

/// Closed at the end of the scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Error(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

}  // namespace

SceneCacheWriter::SceneCacheWriter(const std::string& path, int bands, std::size_t scenes)
    : path_(path), target_(path), file_(std::fopen(target_.path().c_str(), "wb")), bands_(bands), entries_(scenes) {
  if (!file_) fail(path_, "write");
  write(std::string(sizeof(Header), '\0').data(), sizeof(Header));
}

void SceneCacheWriter::write(const void* bytes, std::uint64_t size) {
  if (std::fwrite(bytes, 1, size, file_.get()) != size) fail(path_, "write");
  position_ += size;
}

void SceneCacheWriter::pad() {
  const std::string zeros((kAlignment - position_ % kAlignment) % kAlignment, '\0');
  write(zeros.data(), zeros.size());
}

void SceneCacheWriter::add(std::size_t scene, const std::string& name, int height, int width,
                           const std::uint16_t* values) {
  entries_[scene] = {name, position_, height, width};
  write(values, static_cast<std::uint64_t>(bands_) * height * width * sizeof(std::uint16_t));
  pad();
}

void SceneCacheWriter::commit(const std::string& key) {
  std::string table;
  append(table, std::uint64_t{key.size()});
  table += key;
  for (const Entry& entry : entries_) {
    append(table, entry.offset);
    append(table, static_cast<std::uint32_t>(entry.height));
    append(table, static_cast<std::uint32_t>(entry.width));
    append(table, static_cast<std::uint32_t>(entry.name.size()));
    table += entry.name;
  }
  Header header;
  kMagic.copy(header.magic, kMagic.size());
  header.table = position_;
  header.file_size = position_ + table.size();
  header.checksum = checksum(table);
  header.bands = static_cast<std::uint32_t>(bands_);
  header.scenes = static_cast<std::uint32_t>(entries_.size());
  write(table.data(), table.size());
  if (std::fseek(file_.get(), 0, SEEK_SET) != 0) fail(path_, "write");
  write(&header, sizeof header);
  if (std::fclose(file_.release()) != 0) fail(path_, "write");
  target_.commit();
}

std::unique_ptr<SceneStore> open_scene_cache(const std::string& path, const std::string& key, int bands) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) {
    if (errno == ENOENT) return nullptr;
    throw InputError(path, "cache", "a file that can be read", std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(file.number, &status) != 0) fail(path, "read");
  Mapping mapping;
  if (S_ISREG(status.st_mode) && status.st_size > 0)
    mapping = Mapping(file.number, static_cast<std::size_t>(status.st_size));
  if (!mapping.valid() || !mapping.bytes().starts_with(kMagic)) {
    throw InputError(path, "cache", "a cache of scenes, or no file of that name", "something else");
  }
  try {
    auto store = read_cache(std::move(mapping), key, bands);
    if (!store) log_info(fmt::format("{}: was made for other scenes or wavelengths; making it again", path));
    return store;
  } catch (const Damaged& damaged) {
    log_warning(fmt::format("{}: cannot be used ({}); making it again", path, damaged.reason));
    return nullptr;
  }
}

}  // namespace snapcube
