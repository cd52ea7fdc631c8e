#pragma once
// Prepared scenes in one file, to be mapped into memory. All numbers in the byte order of the machine that wrote it:
//
//   64 bytes   header: "SNAPSCNS", version, byte-order mark, file size, place and checksum of the table, bands, scenes
//   …          values of the scenes, each [bands][height][width] of 16 bits and starting at a multiple of 64
//   …          table: key; for each scene its place, height, width and name
//
// The table comes last because sizes are known only when all scenes have been read.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "samples/samples.h"

namespace snapcube {

/// Writes beside the target and renames: there is a complete cache of that name or none. Throws Error naming the file
/// when the disk is full.
class SceneCacheWriter {
 public:
  SceneCacheWriter(const std::string& path, int bands, std::size_t scenes);

  /// Scene number `scene`, in any order.
  void add(std::size_t scene, const std::string& name, int height, int width, const std::uint16_t* values);
  /// All scenes have been added.
  void commit(const std::string& key);

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset = 0;
    int height = 0;
    int width = 0;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write(const void* bytes, std::uint64_t size);
  void pad();

  std::string path_;
  AtomicFile target_;
  std::unique_ptr<std::FILE, Close> file_;
  int bands_;
  std::uint64_t position_ = 0;
  std::vector<Entry> entries_;
};

/// The cache at `path`, mapped, if it is complete and has this key and band count. Nothing when there is no such file;
/// nothing, and a word in the log, when it belongs to other scenes or is damaged. Throws InputError when the file is
/// something else than a cache: it is not ours to overwrite.
std::unique_ptr<SceneStore> open_scene_cache(const std::string& path, const std::string& key, int bands);

}  // namespace snapcube
