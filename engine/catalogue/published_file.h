// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"
#include "engine/catalogue/model_offers.h"

namespace meshreel {

/// How much of a file is read to identify it.
enum class FileCheck : std::uint8_t {
    Header,  ///< a look: hashes of small files only
    Whole,   ///< its SHA-256, and whether it changes meanwhile
};

/// Whether a file is the one that an offer publishes.
struct PublishedCheck {
    Sentence wrong;           ///< empty: it is the file; otherwise says how the difference shows
    bool isWritten = false;   ///< another program is at work on it
    bool isBroken = false;    ///< no whole file of its format: a page, a pointer, a part, damaged bytes
    std::string sha256;       ///< of the file's bytes, if it was computed or is recorded for exactly these
                              ///< bytes
    bool isRecorded = false;  ///< a record of just these bytes decided

    [[nodiscard]] bool isPublished() const { return wrong.empty(); }
};

/// Checks a file before it gets its name and before it is reported as present; the one place that decides
/// this. It looks at the size (to a hundredth where the table rounds it), the SHA-256 that was published, or
/// else the format's own header, the tensors as far as the table knows them and the SHA-256 of the first
/// download; and at signs that another program is still writing. Does not read again what was checked as a
/// whole and has not changed since. Throws Error{Cancelled}.
PublishedCheck checkPublished(const std::filesystem::path& found, const ModelOffer& offer,
                              const OfferedFile& file, FileCheck check, const StopToken& stop = {});

/// Checks bytes under another name, whose SHA-256 is known and which nothing else is writing.
PublishedCheck checkDownloaded(const std::filesystem::path& partial, const ModelOffer& offer,
                               const OfferedFile& file, const std::string& sha256);

/// Returns what another program put beside a file until it is whole; empty without one.
std::filesystem::path writersFile(const std::filesystem::path& file);

/// The sizes that a file may have: one, or a hundredth around the one that the table rounds.
struct ByteRange {
    std::uint64_t least = 0;
    std::uint64_t most = 0;

    [[nodiscard]] bool holds(std::uint64_t bytes) const { return bytes >= least && bytes <= most; }
};

ByteRange publishedBytes(const OfferedFile& file);

/// "4548313 bytes", "about 22600000 bytes".
Sentence publishedSize(const OfferedFile& file);

/// What is kept of a file beside it, see recordPath().
struct FileRecord {
    std::string server;  ///< commit that it came from; empty when it was put there by hand
    std::string commit;
    std::string sha256;
    bool compared = false;  ///< compared with a published hash
};

/// Writes it, with the file's size and time, by which a later change of its bytes is seen. Throws as
/// writeFileAtomically() does.
void keepRecord(const std::filesystem::path& file, const ModelOffer& offer, const OfferedFile& offered,
                const FileRecord& record);

/// Keeps what a whole check of a file that is here found, so that it need not be read again. Says nothing
/// when the folder cannot be written to.
void rememberCheck(const std::filesystem::path& file, const ModelOffer& offer, const OfferedFile& offered,
                   const PublishedCheck& check);

/// Returns the SHA-256 that a record at this place holds of an earlier download of the same file; empty
/// without one.
std::string recordedSha256(const std::filesystem::path& file, const ModelOffer& offer,
                           const OfferedFile& offered);

}  // namespace meshreel
