#pragma once
// Many files at once: folders of cubes or measurements.

#include <string>
#include <vector>

namespace snapcube {

/// True for a folder that holds files of the project's formats or folders, false for a file and for a folder of
/// per-band PNGs, which is one cube.
bool is_collection(const std::string& location);

/// What a collection holds, sorted by name: files with a known extension (an ENVI header stands for its data) and
/// folders of PNGs. Throws InputError when there is none.
std::vector<std::string> collection(const std::string& folder);

/// Whether a file's name ends like one of the project's formats.
bool has_known_extension(const std::string& name);

/// The files of a folder that may each be a frame, sorted by name: those with a known extension, numbered PNGs too, or
/// all of them (`any`) where frames have no header. Throws InputError when there is none.
std::vector<std::string> frame_files(const std::string& folder, bool any = false);

/// "dir/scene01.mat:img" → "scene01".
std::string stem(const std::string& location);

}  // namespace snapcube
