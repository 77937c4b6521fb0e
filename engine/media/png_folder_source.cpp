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

PngFolderSource::PngFolderSource(const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (isFrameFile(entry.path()))
            m_files.push_back(entry.path());
    if (m_files.empty())
        throw Error(
            ErrorKind::Input, sentence("this folder holds no frames named {} and on", frameFileName(0)),
            folder.string(), sentence("Choose a video file or a folder that Meshreel wrote as PNG frames"));
    std::ranges::sort(m_files);
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
