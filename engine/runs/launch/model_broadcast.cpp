// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/model_broadcast.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "engine/base/error.h"
#include "engine/base/scratch_folder.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t pieceBytes = 16UL << 20U;

/// What Meshreel reads of a model: configs, weights, tokenizers.
constexpr std::array<std::string_view, 7> extensions{".json", ".safetensors", ".model", ".txt",
                                                     ".gguf", ".pth",         ".bin"};

struct ModelFile {
    std::string name;  ///< below the model's folder
    std::size_t size = 0;
};

std::vector<ModelFile> filesOf(const fs::path& folder) {
    std::vector<ModelFile> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() &&
            std::ranges::find(extensions, entry.path().extension().string()) != extensions.end())
            files.push_back({entry.path().lexically_relative(folder).generic_string(), entry.file_size()});
    std::ranges::sort(files, {}, &ModelFile::name);
    return files;
}

std::string manifestText(const std::vector<ModelFile>& files) {
    nlohmann::json list = nlohmann::json::array();
    for (const ModelFile& file : files)
        list.push_back({{"name", file.name}, {"size", file.size}});
    return list.dump();
}

std::vector<ModelFile> filesFrom(const std::string& manifest) {
    std::vector<ModelFile> files;
    for (const nlohmann::json& file : nlohmann::json::parse(manifest))
        files.push_back({file.at("name").get<std::string>(), file.at("size").get<std::size_t>()});
    return files;
}

/// Calls use(offset, piece) for every piece of a file of `size` bytes.
template <typename Use>
void forEachPiece(std::size_t size, const Use& use) {
    std::vector<std::byte> piece(std::min(size, pieceBytes));
    for (std::size_t offset = 0; offset < size; offset += pieceBytes)
        use(offset, std::span(piece).first(std::min(pieceBytes, size - offset)));
}

void sendFile(MpiSession& ranks, const fs::path& path, std::size_t size) {
    const auto map = MappedFile::open(path);
    forEachPiece(size, [&](std::size_t offset, std::span<std::byte> piece) {
        map->throwIfShrunk();
        std::ranges::copy(map->bytes().subspan(offset, piece.size()), piece.begin());
        ranks.broadcast(piece);
    });
}

void passOver(MpiSession& ranks, std::size_t size) {
    forEachPiece(size, [&](std::size_t, std::span<std::byte> piece) { ranks.broadcast(piece); });
}

/// Into a file that lives in memory; its descriptor.
int receiveFile(MpiSession& ranks, const ModelFile& file) {
    const int descriptor = ::memfd_create(file.name.c_str(), MFD_CLOEXEC);
    const auto require = [&](bool good) {
        if (good)
            return;
        const int reason = errno;
        if (descriptor >= 0)
            ::close(descriptor);
        throw Error(
            ErrorKind::Resources,
            sentence("{} bytes of the model do not fit into memory ({})", file.size, std::strerror(reason)),
            file.name, sentence("Copy the model to every host and leave --broadcast-weights out"));
    };
    require(descriptor >= 0);
    forEachPiece(file.size, [&](std::size_t, std::span<std::byte> piece) {
        try {
            ranks.broadcast(piece);
        } catch (...) {
            ::close(descriptor);
            throw;
        }
        std::span<const std::byte> rest = piece;
        while (!rest.empty()) {
            const ssize_t written = ::write(descriptor, rest.data(), rest.size());
            require(written > 0);
            rest = rest.subspan(static_cast<std::size_t>(written));
        }
    });
    return descriptor;
}

fs::path makeTemporaryFolder() {
    std::string pattern = (temporaryFilesFolder() / "meshreel-model-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw Error(ErrorKind::Resources,
                    sentence("no temporary folder could be made ({})", std::strerror(errno)), pattern,
                    sentence("Set TMPDIR to a folder that can be written to"));
    return pattern;
}

}  // namespace

BroadcastModel::BroadcastModel(MpiSession& ranks, const fs::path& folder, Copies copies) {
    const bool isSource = ranks.rank() == 0;
    const std::vector<ModelFile> files =
        filesFrom(ranks.broadcastText(isSource ? manifestText(filesOf(folder)) : std::string()));
    m_folder = ranks.broadcastText(folder.string());
    const bool canRead = copies == Copies::OnePerOtherHostRank && ranks.host(ranks.rank()) == ranks.host(0);
    if (!isSource && !canRead)
        m_folder = m_temporary = makeTemporaryFolder();
    for (const ModelFile& file : files) {
        if (isSource) {
            sendFile(ranks, folder / file.name, file.size);
        } else if (canRead) {
            passOver(ranks, file.size);
        } else {
            m_files.push_back(receiveFile(ranks, file));
            const fs::path link = m_folder / file.name;
            fs::create_directories(link.parent_path());
            fs::create_symlink(fmt::format("/proc/self/fd/{}", m_files.back()), link);
        }
    }
}

BroadcastModel::~BroadcastModel() {
    for (const int file : m_files)
        ::close(file);
    std::error_code ignored;
    if (!m_temporary.empty())
        fs::remove_all(m_temporary, ignored);
}

}  // namespace meshreel
