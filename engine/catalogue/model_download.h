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
    int tries = 5;                            ///< in a row that bring the file no nearer to its end
    bool offline = false;                     ///< nobody may be asked
};

/// What the variables of huggingface_hub say: HF_ENDPOINT, huggingFaceToken(), HF_HUB_DOWNLOAD_TIMEOUT,
/// isHuggingFaceOffline(). libcurl reads those of proxies itself. Throws Error{Project} for values that
/// cannot be used, and quotes no password.
DownloadServer usualServer();

/// How far all files of one order are.
struct DownloadProgress {
    std::string file;        ///< the one at hand
    std::uint64_t done = 0;  ///< bytes of all files, with those that earlier runs brought
    std::uint64_t total = 0;
    double bytesPerSecond = 0;          ///< of late
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
    std::string sha256;       ///< of its bytes
    bool compared = false;    ///< with the hash that the table or the server publishes
    std::string commit;       ///< of the repository, as the server told; empty of what was not downloaded
    std::string firstSha256;  ///< of an earlier download that differs; empty where none does
    std::filesystem::path replaced;  ///< what lay under its name, and was not it; empty where nothing did
};

/// Brings every file of an order into downloadFolder(). What another program has is linked there, the rest is
/// downloaded under a hidden name and gets its own once it is the published file: checkPublished() and
/// checkDownloaded() decide, also about what is here. A page, a part or a damaged file under its name is kept
/// as "NAME.replaced". What was begun goes on. A record of repository, commit and hash is kept beside each
/// file.
/// Throws Error{Cancelled} on `stop`, after which the next call goes on; Error{Resources} with the numbers
/// when the disk is too small; Error{Mismatch} for bytes that are not those published, which are removed;
/// Error{Input} for all that the server or the network refuses, for answers that bring the file no nearer to
/// its end, for somebody's own file under the name, and while another process downloads.
std::vector<GotFile> getFiles(const std::vector<LocatedFile>& order, const DownloadServer& server,
                              const DownloadSink& sink, const StopToken& stop);

/// Removes what an earlier getFiles() began of these files. Throws Error{Input} while another process
/// downloads.
void dropBegun(const std::vector<LocatedFile>& order);

}  // namespace meshreel
