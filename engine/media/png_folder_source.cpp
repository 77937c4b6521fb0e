// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/png_folder_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/base/error.h"
#include "engine/media/container_source.h"
#include "engine/media/image.h"

namespace meshreel {
namespace fs = std::filesystem;

std::string frameFileName(std::int64_t index) {
    return fmt::format("frame_{:05}.png", index + 1);
}

bool isFrameFile(const fs::path& file) {
    return file.filename().string().starts_with("frame_") && file.extension() == ".png";
}

namespace {

void requireOwnFile(const fs::path& frame, const fs::path& folder) {
    std::error_code failure;
    if (!fs::is_regular_file(frame, failure))
        throw Error(ErrorKind::Input, sentence("this frame is not a file"), frame.string(),
                    sentence("Remove it, or put a PNG file in its place"));
    if (fs::is_symlink(frame, failure) &&
        fs::canonical(frame, failure).parent_path() != fs::canonical(folder, failure))
        throw Error(ErrorKind::Input, sentence("this frame is a link out of the folder"), frame.string(),
                    sentence("Put a copy of the file in its place"));
}

}  // namespace

std::vector<fs::path> frameFiles(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code failure;
    for (auto entry = fs::directory_iterator(folder, failure); !failure && entry != fs::end(entry);
         entry.increment(failure))
        if (isFrameFile(entry->path()))
            files.push_back(entry->path());
    if (failure)
        throw Error(ErrorKind::Input, sentence("this folder cannot be read ({})", failure.message()),
                    folder.string(), sentence("Check that you may read it"));
    if (files.empty())
        throw Error(
            ErrorKind::Input, sentence("this folder holds no frames named {} and on", frameFileName(0)),
            folder.string(), sentence("Choose a video file or a folder that Meshreel wrote as PNG frames"));
    for (const fs::path& file : files)
        requireOwnFile(file, folder);
    std::ranges::sort(files);
    return files;
}

PngFolderSource::PngFolderSource(const fs::path& folder) : m_files(frameFiles(folder)) {
    m_info = ContainerSource(m_files.front()).info();
    m_info.frames = static_cast<std::int64_t>(m_files.size());
}

bool PngFolderSource::read(std::span<std::uint8_t> rgb) {
    if (m_next == m_files.size())
        return false;
    const Tensor image = readImage(m_files[m_next]);
    if (image.extent(0) != m_info.height || image.extent(1) != m_info.width)
        throw Error(ErrorKind::Input, sentence("this frame has another size than the first one"),
                    m_files[m_next].string(), sentence("Write the frames again"));
    std::memcpy(rgb.data(), image.raw(), image.bytes());
    ++m_next;
    return true;
}

}  // namespace meshreel
