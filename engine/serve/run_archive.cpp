// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/run_archive.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/held_file.h"
#include "engine/base/paths.h"

namespace meshreel {
namespace {

constexpr std::size_t tarBlock = 512;
constexpr std::size_t pieceBytes = 64UL * 1024;

/// Where the fields of a header stand.
struct TarField {
    std::size_t at;
    std::size_t size;
};
constexpr TarField nameField{0, 100};
constexpr TarField modeField{100, 8};
constexpr TarField sizeField{124, 12};
constexpr TarField timeField{136, 12};
constexpr TarField sumField{148, 8};
constexpr TarField kindField{156, 1};
constexpr TarField magicField{257, 8};
constexpr TarField prefixField{345, 155};

void put(std::string& header, const TarField& field, std::string_view text) {
    header.replace(field.at, std::min(text.size(), field.size), text.substr(0, field.size));
}

/// Octal digits that fill the field but for a zero at its end.
std::string octal(std::uint64_t number, const TarField& field) {
    return fmt::format("{:0{}o}", number, field.size - 1);
}

/// The files below a folder, sorted, so that equal folders make equal archives.
std::vector<std::filesystem::path> plainFilesIn(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (auto entry = std::filesystem::recursive_directory_iterator(folder);
         entry != std::filesystem::recursive_directory_iterator(); ++entry) {
        const bool isHidden = entry->path().filename().string().starts_with('.');
        const auto kind = entry->symlink_status().type();
        if (isHidden && kind == std::filesystem::file_type::directory)
            entry.disable_recursion_pending();
        else if (!isHidden && kind == std::filesystem::file_type::regular)
            files.push_back(entry->path());
    }
    std::ranges::sort(files);
    return files;
}

/// Reads an archive from its beginning to its end.
class ArchiveReader {
  public:
    explicit ArchiveReader(std::filesystem::path folder)
        : m_folder(std::move(folder)), m_files(plainFilesIn(m_folder)) {}

    std::optional<std::string> next() {
        if (m_file)
            return m_left > 0 ? readPiece() : endFile();
        if (m_index < m_files.size())
            return beginFile(m_files[m_index++]);
        if (std::exchange(m_hasEnded, true))
            return std::nullopt;
        return std::string(2 * tarBlock, '\0');
    }

  private:
    std::string beginFile(const std::filesystem::path& file) {
        m_file.emplace(file, Links::Refuse);
        struct stat status {};
        if (::fstat(m_file->descriptor(), &status) != 0 || !S_ISREG(status.st_mode))
            throw Error(ErrorKind::Input, sentence("it is no file"), withTilde(file));
        m_left = static_cast<std::uint64_t>(status.st_size);
        m_padding = (tarBlock - m_left % tarBlock) % tarBlock;
        const std::filesystem::path name = m_folder.filename() / file.lexically_relative(m_folder);
        return tarHeader(name.string(), m_left, status.st_mtim.tv_sec);
    }

    std::string readPiece() {
        std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(pieceBytes, m_left)), '\0');
        ssize_t count = 0;
        do
            count = ::read(m_file->descriptor(), piece.data(), piece.size());
        while (count < 0 && errno == EINTR);
        if (count <= 0)
            throw Error(ErrorKind::Input, sentence("it became shorter while it was read"),
                        withTilde(m_file->name()));
        piece.resize(static_cast<std::size_t>(count));
        m_left -= static_cast<std::uint64_t>(count);
        return piece;
    }

    std::optional<std::string> endFile() {
        m_file.reset();
        return m_padding > 0 ? std::string(m_padding, '\0') : next();
    }

    std::filesystem::path m_folder;
    std::vector<std::filesystem::path> m_files;
    std::size_t m_index = 0;
    std::optional<HeldFile> m_file;
    std::uint64_t m_left = 0;
    std::size_t m_padding = 0;
    bool m_hasEnded = false;
};

}  // namespace

std::string tarHeader(const std::string& name, std::uint64_t bytes, std::int64_t modified) {
    constexpr std::uint64_t mostBytes = (std::uint64_t{1} << 33) - 1;  // eleven octal digits
    std::string prefix;
    std::string rest = name;
    if (name.size() > nameField.size) {
        const std::size_t slash = name.find('/', name.size() - nameField.size - 1);
        if (slash == std::string::npos || slash > prefixField.size || slash + 1 == name.size())
            throw Error(ErrorKind::Input, sentence("its name is too long for an archive"), name);
        prefix = name.substr(0, slash);
        rest = name.substr(slash + 1);
    }
    if (bytes > mostBytes)
        throw Error(ErrorKind::Input, sentence("it is too large for an archive (8 GiB)"), name);
    std::string header(tarBlock, '\0');
    put(header, nameField, rest);
    put(header, modeField, octal(0644, modeField));
    put(header, sizeField, octal(bytes, sizeField));
    put(header, timeField, octal(static_cast<std::uint64_t>(std::max<std::int64_t>(modified, 0)), timeField));
    put(header, sumField, std::string(sumField.size, ' '));  // as it counts
    put(header, kindField, "0");
    put(header, magicField, std::string_view("ustar\00000", magicField.size));
    put(header, prefixField, prefix);
    const unsigned sum = std::accumulate(header.begin(), header.end(), 0U, [](unsigned before, char each) {
        return before + static_cast<unsigned char>(each);
    });
    put(header, sumField, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    return header;
}

WebStream archiveOf(const std::filesystem::path& folder) {
    try {
        // A function of the standard library has to be copyable.
        return [reader = std::make_shared<ArchiveReader>(folder)] { return reader->next(); };
    } catch (const std::filesystem::filesystem_error& failure) {
        throw Error(ErrorKind::Input, sentence("it cannot be listed ({})", failure.code().message()),
                    withTilde(folder));
    }
}

}  // namespace meshreel
