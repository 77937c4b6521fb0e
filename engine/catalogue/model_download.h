// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/catalogue/model_offers.h"

namespace meshreel {

/// Where files come from, and how patiently they are asked for.
struct DownloadServer {
    std::string endpoint = "https://huggingface.co";  ///< without a "/" at its end, and without a password
    std::string token;          ///< goes to the endpoint's host only, and only over https or to this machine
    std::string credentials{};  ///< "user:password" of the endpoint, in the token's place; kept nowhere
    std::chrono::seconds stall{30};           ///< too slow, after which a connection is given up
    std::chrono::milliseconds backoff{1000};  ///< before the second try; doubles with each
    int tries = 5;                            ///< consecutive tries that download nothing more of the file
    bool offline = false;                     ///< nobody may be asked
};

/// Returns what the variables of huggingface_hub say: HF_ENDPOINT, huggingFaceToken(),
/// HF_HUB_DOWNLOAD_TIMEOUT, isHuggingFaceOffline(). libcurl reads those of proxies itself. Throws
/// Error{Project} for values that cannot be used, and quotes no password.
DownloadServer usualServer();

/// Progress of all files of one order.
struct DownloadProgress {
    std::string file;        ///< the current one
    std::uint64_t done = 0;  ///< bytes of all files, including those from earlier runs
    std::uint64_t total = 0;
    double bytesPerSecond = 0;          ///< recent rate
    std::optional<double> secondsLeft;  ///< once a rate is known
};

/// Called a few times a second on the thread that downloads.
using DownloadSink = std::function<void(const DownloadProgress&)>;

/// How a file came to be in the models folder.
enum class FileOrigin : std::uint8_t { WasHere, Shared, Downloaded };

template <>
struct EnumNames<FileOrigin> {
    static constexpr auto names = std::to_array<std::string_view>({"was_here", "shared", "downloaded"});
};

struct GotFile {
    std::filesystem::path path;
    FileOrigin origin = FileOrigin::WasHere;
    std::uint64_t bytes = 0;
    std::string sha256;       ///< of the file's bytes
    bool compared = false;    ///< compared with the hash that the table or the server publishes
    std::string commit;       ///< the repository's commit, as the server reported it; empty for what was not
                              ///< downloaded
    std::string firstSha256;  ///< hash of an earlier download that differs; otherwise empty
    std::filesystem::path replaced;  ///< the former file under its name, which was another one; empty without
                                     ///< one
};

/// Brings every file of an order into downloadFolder(). Files that another program has are linked, the others
/// are downloaded under a hidden name and renamed once they are the published file: checkPublished() and
/// checkDownloaded() decide, also for what is already here. A page, a partial or a damaged file under the
/// name is kept as "NAME.replaced". Interrupted downloads continue. A record of repository, commit and hash
/// is kept beside each file. Throws Error{Cancelled} on `stop`, after which the next call continues;
/// Error{Resources} with the numbers when the disk is too small; Error{Mismatch} for bytes that differ from
/// the published ones, which are removed; Error{Input} for every refusal of the server or the network, for
/// answers that download nothing more of the file, for the user's own file under the name, and while another
/// process downloads.
std::vector<GotFile> getFiles(const std::vector<LocatedFile>& order, const DownloadServer& server,
                              const DownloadSink& sink, const StopToken& stop);

/// Removes what an earlier getFiles() began to download of these files. Throws Error{Input} while another
/// process downloads.
void dropBegun(const std::vector<LocatedFile>& order);

}  // namespace meshreel
