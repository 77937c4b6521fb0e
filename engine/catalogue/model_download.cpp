// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/model_download.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/catalogue/http_connection.h"
#include "engine/catalogue/hugging_face_cache.h"
#include "engine/catalogue/partial_file.h"
#include "engine/catalogue/published_file.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The server.

std::string valueOf(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? std::string() : value;
}

std::string trimmed(const std::string& text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string::npos ? std::string()
                                      : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

void requirePrintable(const std::string& value, const char* variable) {
    const auto isPrintable = [](unsigned char letter) { return letter > ' ' && letter < 0x7f; };
    if (!std::ranges::all_of(value, isPrintable))
        throw Error(ErrorKind::Project, sentence("it holds a space or a letter that no address has"),
                    variable, sentence("Set it again, or unset it"));
}

}  // namespace

DownloadServer usualServer() {
    DownloadServer server{.token = {}, .offline = isHuggingFaceOffline()};
    if (std::string endpoint = trimmed(valueOf("HF_ENDPOINT")); !endpoint.empty()) {
        requirePrintable(endpoint, "HF_ENDPOINT");
        std::optional<HttpAddress> address;
        if (endpoint.find("://") != std::string::npos && endpoint.find_first_of("?#\\") == std::string::npos)
            address = parseHttpAddress(endpoint);
        // An "@" behind the host is the rest of a password with a sign that an address must write in another
        // way.
        if (!address || address->plain.find('@') != std::string::npos)
            throw Error(ErrorKind::Project,
                        sentence("\"{}\" is not a server address", withoutCredentials(endpoint)),
                        "HF_ENDPOINT",
                        sentence("Set it to an address such as https://huggingface.co; signs such as @, /, # "
                                 "and ? in a password are written %40, %2F, %23 and %3F"));
        server.endpoint = address->plain;
        server.credentials = address->credentials;
        while (server.endpoint.ends_with('/'))
            server.endpoint.pop_back();
    }
    server.token = huggingFaceToken();
    requirePrintable(server.token, "HF_TOKEN");
    if (const std::string limit = trimmed(valueOf("HF_HUB_DOWNLOAD_TIMEOUT")); !limit.empty()) {
        constexpr int longest = 3600;
        int value = 0;
        const auto [end, failure] = std::from_chars(limit.data(), limit.data() + limit.size(), value);
        if (failure != std::errc() || end != limit.data() + limit.size() || value < 1 || value > longest)
            throw Error(ErrorKind::Project, sentence("\"{}\" is not a number of seconds", limit),
                        "HF_HUB_DOWNLOAD_TIMEOUT",
                        sentence("Set it to a whole number from 1 to {}", longest));
        server.stall = seconds(value);
    }
    return server;
}

namespace {

// What answers mean.

/// A published thing and where to request it.
struct Asked {
    const LocatedFile& located;
    const DownloadServer& server;

    [[nodiscard]] std::string where() const {
        return fmt::format("{}, {}", located.offer->repository, located.file->path);
    }
};

Error unreachable(const Asked& asked, const Sentence& reason) {
    return {ErrorKind::Input, sentence("{} cannot be reached ({})", hostOf(asked.server.endpoint), reason),
            asked.where(),
            sentence("Check the network, or the proxy in https_proxy; HF_ENDPOINT can name a mirror")};
}

/// Where no answer of the server came.
Error unanswered(const Asked& asked, const HttpAnswer& answer) {
    const Error failure = unreachable(asked, visibleText(answer.reason));
    switch (answer.need) {
        case HttpNeed::Certificate:
            return {
                failure.kind(), failure.message(), failure.where(),
                sentence("Where a company's proxy reads the traffic, set SSL_CERT_FILE to a file with the "
                         "certificate of its authority")};
        case HttpNeed::ProxyLogin:
            return {failure.kind(),
                    sentence("the proxy between here and {} asks for a user and a password (HTTP 407)",
                             hostOf(asked.server.endpoint)),
                    failure.where(),
                    sentence("Write them into https_proxy: http://USER:PASSWORD@PROXY:PORT")};
        case HttpNeed::Nothing:
            break;
    }
    return failure;
}

Error refusedBy(const Asked& asked, long status) {
    const std::string host = hostOf(asked.server.endpoint);
    if (status == 401 || status == 403)
        return {
            ErrorKind::Input, sentence("{} refuses the file to you (HTTP {})", host, status), asked.where(),
            asked.server.token.empty()
                ? sentence("Accept the licence at {}, then set HF_TOKEN to a token of your account, or run: "
                           "hf auth login",
                           asked.located.offer->licencePage)
                : sentence("Accept the licence at {}, or set HF_TOKEN to another token: yours is not allowed",
                           asked.located.offer->licencePage)};
    if (status == 404 || status == 410)
        return {ErrorKind::Input, sentence("{} has no such file (HTTP {})", host, status), asked.where(),
                sentence("It was moved or removed; a newer version of Meshreel may know where to")};
    return {ErrorKind::Input, sentence("{} does not send the file (HTTP {})", host, status), asked.where(),
            sentence("Try again later; HF_ENDPOINT can name a mirror")};
}

/// What the server offers is not what the table knows; nothing was downloaded yet.
Error otherFile(const Asked& asked, const Sentence& message, bool isPage) {
    return {ErrorKind::Mismatch, message, asked.where(),
            isPage
                ? sentence("It answers with a web page: sign in to this network in a browser, or see whether "
                           "HF_ENDPOINT names the right server")
                : sentence("Nothing was downloaded. A newer version of Meshreel may know the new file")};
}

Error wrongBytes(const Asked& asked, const Sentence& what) {
    return {ErrorKind::Mismatch, sentence("the file is not the one that was published ({})", what),
            asked.where(),
            sentence("What was downloaded is removed. Try again, or from another server by HF_ENDPOINT")};
}

/// Waits between tries and gives up after several in a row that downloaded nothing more of the file, or when
/// the server asks for an unreasonable wait.
class Patience {
  public:
    Patience(const Asked& asked, StopToken stop)
        : m_asked(asked), m_stop(std::move(stop)), m_pause(asked.server.backoff) {}

    /// Data arrived: the next failure counts as the first again.
    void encourage() {
        m_failures = 0;
        m_waited = seconds(0);
        m_pause = m_asked.server.backoff;
    }

    /// Throws `failure` when it was the last try.
    void wait(const Error& failure, const std::optional<seconds>& asked = std::nullopt) {
        constexpr seconds longestWait{600};
        constexpr milliseconds longestPause{30'000};
        if (++m_failures >= m_asked.server.tries)
            throw failure;
        if (asked && *asked > longestWait - m_waited)
            throw Error(failure.kind(), failure.message(), failure.where(),
                        sentence("The server asks to wait for {} minutes: start the download again then",
                                 (asked->count() + 59) / 60));
        m_waited += asked.value_or(seconds(0));
        sleep(asked ? milliseconds(*asked) : m_pause);
        m_pause = std::min(2 * m_pause, longestPause);
    }

  private:
    void sleep(milliseconds time) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any never;
        never.wait_for(lock, m_stop, time, [] { return false; });
        throwIfStopped(m_stop);
    }

    const Asked& m_asked;
    StopToken m_stop;
    milliseconds m_pause;
    seconds m_waited{0};  ///< as the server requested
    int m_failures = 0;
};

/// What the server says of a file before it sends it.
struct Listing {
    std::string url;
    std::optional<std::uint64_t> bytes;
    ByteRange range;     ///< the possible size: `bytes` if known, else as the table says
    std::string sha256;  ///< from the table, else from the server; may be empty
    std::string commit;
};

std::string addressOf(const Asked& asked, const HttpConnection& connection) {
    const ModelOffer& offer = *asked.located.offer;
    std::string url = asked.server.endpoint;
    const auto add = [&](const std::string& path) {
        for (const fs::path& part : fs::path(path))
            url += "/" + connection.escaped(part.string());
    };
    add(offer.repository);
    url += "/resolve/" + connection.escaped(offer.revision);
    add(asked.located.file->path);
    return url;
}

/// Large files have their SHA-256 as the tag of what they link to, in quotes.
std::string sha256In(const HttpHeaders& headers) {
    constexpr std::size_t digits = 64;
    std::string tag = lowerCase(valueIn(headers, "x-linked-etag"));
    if (tag.starts_with("w/"))
        tag.erase(0, 2);
    std::erase(tag, '"');
    return tag.size() == digits && tag.find_first_not_of("0123456789abcdef") == std::string::npos
               ? tag
               : std::string();
}

/// Redirections within the server, of repositories that were renamed; any other leads to where the file lies.
std::optional<std::string> movedWithin(const DownloadServer& server, const HttpAnswer& answer) {
    const std::string location = valueIn(answer.headers, "location");
    if (!isRedirection(answer) || answer.headers.contains("x-linked-size"))
        return std::nullopt;
    if (location.starts_with('/') && !location.starts_with("//")) {
        const std::size_t host = server.endpoint.find("://") + 3;
        return server.endpoint.substr(0, server.endpoint.find('/', host)) + location;
    }
    return location.starts_with(server.endpoint + "/") ? std::optional(location) : std::nullopt;
}

Listing askFor(const Asked& asked, HttpConnection& connection, const StopToken& stop) {
    constexpr int mostMoves = 5;
    if (asked.server.offline)
        throw Error(ErrorKind::Project, sentence("it forbids to ask any server"), "HF_HUB_OFFLINE",
                    sentence("Unset it to download"));
    const OfferedFile& file = *asked.located.file;
    Listing listing{.url = addressOf(asked, connection),
                    .bytes = {},
                    .range = publishedBytes(file),
                    .sha256 = file.sha256,
                    .commit = {}};
    Patience patience(asked, stop);
    HttpAnswer answer;
    std::string url = listing.url;
    for (int moves = 0;;) {
        answer = connection.head(url);
        if (answer.outcome != HttpOutcome::Answered) {
            const Error failure = unanswered(asked, answer);
            if (answer.outcome == HttpOutcome::Hopeless || answer.outcome == HttpOutcome::NoServer)
                throw failure;
            patience.wait(failure);
            continue;
        }
        if (isBusy(answer)) {
            patience.wait(refusedBy(asked, answer.status), retryAfter(answer.headers));
            continue;
        }
        const std::optional<std::string> moved = movedWithin(asked.server, answer);
        if (!moved || ++moves > mostMoves)
            break;
        url = *moved;
    }
    if (answer.status != 200 && !isRedirection(answer))
        throw refusedBy(asked, answer.status);
    listing.bytes = numberIn(answer.headers, "x-linked-size");
    if (!listing.bytes && answer.status == 200)
        listing.bytes = numberIn(answer.headers, "content-length");
    if (listing.bytes == 0)
        listing.bytes.reset();  // some say so of a body that HEAD leaves out
    constexpr std::size_t longestCommit = 64;
    listing.commit = visibleText(valueIn(answer.headers, "x-repo-commit").substr(0, longestCommit));
    const std::string host = hostOf(asked.server.endpoint);
    const bool isPage = lowerCase(valueIn(answer.headers, "content-type")).starts_with("text/html");
    const std::string told = sha256In(answer.headers);
    if (listing.sha256.empty())
        listing.sha256 = told;
    else if (!told.empty() && told != listing.sha256)
        throw otherFile(
            asked, sentence("{} now has another file of this name than the one that was published", host),
            isPage);
    if (listing.bytes && !listing.range.holds(*listing.bytes))
        throw otherFile(asked,
                        sentence("{} has {} bytes of this file, and {} were published", host, *listing.bytes,
                                 publishedSize(file)),
                        isPage);
    if (!listing.bytes && file.exact)
        listing.bytes = file.bytes;
    if (listing.bytes)
        listing.range = {.least = *listing.bytes, .most = *listing.bytes};
    return listing;
}

/// Downloads one file into its hidden name, from where an earlier run left it.
class Transfer {
  public:
    Transfer(const Asked& asked, const Listing& listing, HttpConnection& connection, PartialFile& file)
        : m_asked(asked),
          m_listing(listing),
          m_connection(connection),
          m_file(file),
          m_reached(file.size()) {}

    /// Returns when every byte is there. Reports to `came` how many are, some of which may be dropped again.
    void run(const std::function<void(std::uint64_t)>& came, const StopToken& stop) {
        Patience patience(m_asked, stop);
        while (!isWhole()) {
            if (m_file.size() > m_listing.range.most)
                restart();
            const std::uint64_t before = m_file.size();
            bool begun = false;
            bool tooLong = false;
            const HttpAnswer answer =
                m_connection.get(m_listing.url, before, m_file.tag(),
                                 [&](const HttpAnswer& head, std::span<const char> bytes) {
                                     if (!begun && !begin(head, before))
                                         return false;
                                     begun = true;
                                     if (m_file.size() + bytes.size() > m_listing.range.most) {
                                         tooLong = true;
                                         return false;
                                     }
                                     m_file.append(bytes);
                                     came(m_file.size());
                                     return true;
                                 });
            if (tooLong)
                throw wrongBytes(m_asked, sentence("it is longer than {} bytes", m_listing.range.most));
            if (hasProgress())
                patience.encourage();
            judge(answer, begun, patience);
        }
    }

  private:
    [[nodiscard]] bool isWhole() const {
        return m_whole || (m_listing.bytes && m_file.size() == *m_listing.bytes);
    }

    /// Whether there is more than there ever was, and by more than a server could give for ever.
    bool hasProgress() {
        constexpr std::uint64_t leastProgress = 64 * 1024;
        if (m_file.size() < m_reached + leastProgress)
            return false;
        m_reached = m_file.size();
        return true;
    }

    /// Drops what came. A server that makes this necessary again and again never sends the whole.
    void restart() {
        if (m_file.size() > 0 && ++m_restarts > 2 * m_asked.server.tries)
            throw unreachable(m_asked, sentence("it breaks off and begins anew again and again"));
        m_file.restart();
    }

    /// Decides what the bytes that follow are: the rest, or the whole from its beginning. False when they are
    /// neither.
    bool begin(const HttpAnswer& head, std::uint64_t from) {
        const std::string coding = lowerCase(valueIn(head.headers, "content-encoding"));
        if (!coding.empty() && coding != "identity")
            throw Error(ErrorKind::Input,
                        sentence("{} sends the file compressed, which was not asked for",
                                 hostOf(m_asked.server.endpoint)),
                        m_asked.where(),
                        sentence("A proxy may do so: check https_proxy; HF_ENDPOINT can name a mirror"));
        if (head.status == 206) {
            const ContentRange range = contentRange(head.headers);
            const bool fits =
                range.begin == from && (!m_listing.bytes || !range.total || range.total == m_listing.bytes);
            if (!fits) {
                restart();
                return false;
            }
        } else if (from > 0) {
            restart();  // the server knows no ranges, or has another version by now
        }
        m_file.keepNote(strongTag(head.headers), m_listing.sha256);
        return true;
    }

    /// Only a strong tag shows that two versions have the same bytes (RFC 9110, 13.1.5).
    static std::string strongTag(const HttpHeaders& headers) {
        const std::string tag = valueIn(headers, "etag");
        return tag.starts_with("W/") ? std::string() : tag;
    }

    void judge(const HttpAnswer& answer, bool begun, Patience& patience) {
        if (answer.outcome == HttpOutcome::Answered)
            return judgeStatus(answer, patience);
        const Error failure = unanswered(m_asked, answer);
        if (answer.outcome == HttpOutcome::Hopeless)
            throw failure;
        const bool atOnce = answer.outcome == HttpOutcome::Dropped && !begun;
        patience.wait(failure, atOnce ? std::optional(seconds(0)) : std::nullopt);
    }

    void judgeStatus(const HttpAnswer& answer, Patience& patience) {
        if (answer.status == 200 || answer.status == 206) {
            if (isWhole())
                return;
            if (!m_listing.bytes && m_listing.range.holds(m_file.size()))
                m_whole = true;
            else if (m_listing.bytes)
                patience.wait(unreachable(m_asked, sentence("the connection ended early")));
            else  // of unknown size: it may have been cut off
                patience.wait(
                    wrongBytes(m_asked, sentence("it has {} bytes, and {} were published", m_file.size(),
                                                 publishedSize(*m_asked.located.file))));
        } else if (answer.status == 416) {
            m_whole = contentRange(answer.headers).total == m_file.size() && !m_listing.bytes &&
                      m_listing.range.holds(m_file.size());
            if (m_whole)
                return;
            restart();
            patience.wait(refusedBy(m_asked, answer.status), seconds(0));
        } else if (isBusy(answer)) {
            patience.wait(refusedBy(m_asked, answer.status), retryAfter(answer.headers));
        } else {
            throw refusedBy(m_asked, answer.status);
        }
    }

    const Asked& m_asked;
    const Listing& m_listing;
    HttpConnection& m_connection;
    PartialFile& m_file;
    std::uint64_t m_reached;  ///< where the last progress ended
    int m_restarts = 0;
    bool m_whole = false;
};

// The whole order.

/// Tells how far it is, a few times a second.
class ProgressMeter {
  public:
    ProgressMeter(std::uint64_t total, DownloadSink sink) : m_sink(std::move(sink)) {
        m_progress.total = total;
    }

    void beginFile(const std::string& name, std::uint64_t there) {
        m_progress.file = name;
        m_finished = m_progress.done;
        advance(there, true);
        m_last = m_progress.done;  // was there before: no part of the rate
    }

    void advance(std::uint64_t ofFile, bool tell = false) {
        m_progress.done = m_finished + ofFile;
        const auto now = Clock::now();
        const double elapsed = std::chrono::duration<double>(now - m_since).count();
        constexpr double interval = 0.2;
        if (elapsed < interval && !tell)
            return;
        if (elapsed >= interval)
            measure(elapsed, now);
        if (m_sink)
            m_sink(m_progress);
    }

  private:
    /// The mean of some seconds, so that it does not jump.
    void measure(double elapsed, Clock::time_point now) {
        constexpr double memory = 4;  // seconds
        const double came = m_progress.done > m_last ? static_cast<double>(m_progress.done - m_last) : 0;
        const double weight = std::min(1.0, elapsed / memory);
        double& rate = m_progress.bytesPerSecond;
        rate = rate == 0 ? came / elapsed : rate + weight * (came / elapsed - rate);
        m_progress.secondsLeft.reset();
        if (rate > 0 && m_progress.total >= m_progress.done)
            m_progress.secondsLeft = static_cast<double>(m_progress.total - m_progress.done) / rate;
        m_last = m_progress.done;
        m_since = now;
    }

    DownloadSink m_sink;
    DownloadProgress m_progress;
    std::uint64_t m_finished = 0;  ///< of the previous files
    std::uint64_t m_last = 0;
    Clock::time_point m_since = Clock::now();
};

/// One process at a time writes into a models folder.
class FolderLock {
  public:
    explicit FolderLock(const fs::path& folder)
        : m_file(folder / ".meshreel-get.lock", O_RDWR | O_CREAT),
          m_lock(FileLock::tryTake(::fcntl(m_file.descriptor(), F_DUPFD_CLOEXEC, 0))) {
        if (!m_lock)
            throw Error(ErrorKind::Input, sentence("another Meshreel downloads into this folder"),
                        withTilde(folder), sentence("Wait until it is done, or stop it"));
    }

  private:
    OpenFile m_file;
    std::optional<FileLock> m_lock;
};

void makeFolder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        throw notWritten(folder, failure.value());
}

/// Makes room for a file; returns where what lay there is now.
fs::path setAside(const fs::path& target) {
    const fs::path aside = freePath(target.string() + ".replaced");
    std::error_code failure;
    fs::rename(target, aside, failure);
    if (failure)
        throw notWritten(aside, failure.value());
    return aside;
}

/// Makes a hard link, so that the file stays when the other program removes its own; on another disk a
/// symbolic link. Returns nothing if it is not the published file.
std::optional<GotFile> share(const LocatedFile& located, const fs::path& target, bool isTaken,
                             const StopToken& stop) {
    std::error_code failure;
    const fs::path source = fs::canonical(located.path, failure);
    if (failure)
        return std::nullopt;
    const PublishedCheck check =
        checkPublished(located.path, *located.offer, *located.file, FileCheck::Whole, stop);
    if (!check.isPublished())
        return std::nullopt;
    const fs::path replaced = isTaken ? setAside(target) : fs::path();
    fs::create_hard_link(source, target, failure);
    if (failure) {
        failure.clear();
        fs::create_symlink(source, target, failure);
    }
    if (failure)
        return std::nullopt;
    return GotFile{.path = target,
                   .origin = FileOrigin::Shared,
                   .bytes = fs::file_size(source, failure),
                   .sha256 = check.sha256,
                   .compared = !located.file->sha256.empty(),
                   .commit = {},
                   .firstSha256 = {},
                   .replaced = replaced};
}

void keepRecord(const LocatedFile& located, const GotFile& got, const std::string& endpoint) {
    keepRecord(got.path, *located.offer, *located.file,
               {.server = endpoint, .commit = got.commit, .sha256 = got.sha256, .compared = got.compared});
}

/// A file and what is known about it before the first byte arrives.
struct Task {
    LocatedFile located;
    fs::path target;
    bool isTaken = false;  ///< something that is not the file lies at the target
    Listing listing{};
};

void requireDisk(const std::vector<Task>& tasks, const fs::path& folder) {
    std::uint64_t needed = 0;
    for (const Task& task : tasks) {
        const std::uint64_t all = task.listing.range.most;
        needed += all - std::min(all, task.located.bytesBegun);
    }
    if (const std::uint64_t free = freeDiskSpace(folder); needed > free)
        throw Error(
            ErrorKind::Resources,
            sentence("{} are to be downloaded, and {} are free", formatBytes(needed), formatBytes(free)),
            withTilde(folder),
            sentence("Free {}, or choose a models folder on another disk", formatBytes(needed - free)));
}

/// Keeps what is here and is the published file; returns nothing when it has to be downloaded. Throws for
/// files that it must not replace.
std::optional<GotFile> keepWhatIsHere(const LocatedFile& located, const fs::path& target,
                                      const StopToken& stop) {
    const auto look = [&](const fs::path& path) -> std::optional<GotFile> {
        const PublishedCheck check =
            checkPublished(path, *located.offer, *located.file, FileCheck::Whole, stop);
        if (check.isPublished()) {
            GotFile got{.path = path,
                        .bytes = located.file->bytes,
                        .sha256 = check.sha256,
                        .compared = !located.file->sha256.empty(),
                        .commit = {},
                        .firstSha256 = {},
                        .replaced = {}};
            std::error_code failure;
            if (const std::uintmax_t bytes = fs::file_size(path, failure); !failure)
                got.bytes = bytes;
            rememberCheck(path, *located.offer, *located.file, check);
            return got;
        }
        if (path != target)
            return std::nullopt;
        if (check.isWritten)
            throw Error(ErrorKind::Input, check.wrong, withTilde(target),
                        sentence("Wait until it is done. If nobody is at work, remove both files"));
        if (!check.isBroken)
            throw Error(ErrorKind::Input, sentence("a different file has this name ({})", check.wrong),
                        withTilde(target),
                        sentence("Rename or remove it: it is not the one that was published"));
        return std::nullopt;
    };
    if (located.state == FileState::Here && located.path != target)
        if (std::optional<GotFile> got = look(located.path))
            return got;
    return fs::exists(fs::symlink_status(target)) ? look(target) : std::nullopt;
}

GotFile download(const Task& task, const DownloadServer& server, HttpConnection& connection,
                 ProgressMeter& meter, const StopToken& stop) {
    const Asked asked{task.located, server};
    bool resumed = false;
    for (;;) {
        PartialFile file(task.target, task.listing.sha256, stop);
        resumed = !resumed && file.size() > 0;
        meter.beginFile(task.target.filename().string(), file.size());
        try {
            Transfer(asked, task.listing, connection, file)
                .run([&](std::uint64_t there) { meter.advance(there); }, stop);
            const std::string sha256 = file.sha256();
            if (!task.listing.sha256.empty() && sha256 != task.listing.sha256)
                throw wrongBytes(asked, sentence("its SHA-256 is {}", sha256));
            const ModelOffer& offer = *task.located.offer;
            const OfferedFile& offered = *task.located.file;
            const PublishedCheck check = checkDownloaded(partialPath(task.target), offer, offered, sha256);
            if (!check.isPublished())
                throw wrongBytes(asked, check.wrong);
            const std::string first = recordedSha256(task.target, offer, offered);
            const bool differs = offered.sha256.empty() && !first.empty() && first != sha256;
            const bool isTaken = task.isTaken && fs::exists(fs::symlink_status(task.target));
            const fs::path replaced = isTaken ? setAside(task.target) : fs::path();
            file.putIntoPlace();
            meter.advance(file.size(), true);
            return {.path = task.target,
                    .origin = FileOrigin::Downloaded,
                    .bytes = file.size(),
                    .sha256 = sha256,
                    .compared = !task.listing.sha256.empty(),
                    .commit = task.listing.commit,
                    .firstSha256 = differs ? first : std::string(),
                    .replaced = replaced};
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Mismatch)
                throw;
            file.remove();
            if (!resumed)
                throw;  // else the beginning may have been wrong: once more, from the first byte
            meter.advance(0, true);
        }
    }
}

}  // namespace

std::vector<GotFile> getFiles(const std::vector<LocatedFile>& order, const DownloadServer& server,
                              const DownloadSink& sink, const StopToken& stop) {
    const fs::path folder = downloadFolder();
    makeFolder(folder);
    const FolderLock lock(folder);
    std::vector<GotFile> got;
    std::vector<Task> tasks;
    HttpConnection connection({.address = server.endpoint,
                               .token = server.token,
                               .credentials = server.credentials,
                               .stall = server.stall},
                              stop);
    for (const LocatedFile& located : order) {
        const fs::path target = folder / located.file->place;
        if (std::optional<GotFile> here = keepWhatIsHere(located, target, stop)) {
            got.push_back(*std::move(here));
            continue;
        }
        const bool isTaken = fs::exists(fs::symlink_status(target));
        makeFolder(target.parent_path());
        if (located.state == FileState::Elsewhere)
            if (std::optional<GotFile> shared = share(located, target, isTaken, stop)) {
                keepRecord(located, *shared, server.endpoint);
                got.push_back(*std::move(shared));
                continue;
            }
        Task task{.located = located, .target = target, .isTaken = isTaken};
        task.listing = askFor({task.located, server}, connection, stop);
        tasks.push_back(std::move(task));
    }
    requireDisk(tasks, folder);
    std::uint64_t total = 0;
    for (const Task& task : tasks)
        total += task.listing.bytes.value_or(task.located.file->bytes);
    ProgressMeter meter(total, sink);
    for (const Task& task : tasks) {
        got.push_back(download(task, server, connection, meter, stop));
        keepRecord(task.located, got.back(), server.endpoint);
    }
    return got;
}

void dropBegun(const std::vector<LocatedFile>& order) {
    const fs::path folder = downloadFolder();
    if (!isFolder(folder))
        return;
    const FolderLock lock(folder);
    for (const LocatedFile& located : order)
        PartialFile::removeWithNote(folder / located.file->place);
}

}  // namespace meshreel
