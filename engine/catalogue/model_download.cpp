// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/model_download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/version.h"

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

/// As huggingface_hub keeps it after `hf auth login`.
std::string keptToken() {
    const std::string home = valueOf("HF_HOME");
    const std::string asked = valueOf("HF_TOKEN_PATH");
    const fs::path file = !asked.empty()  ? expandTilde(asked)
                          : !home.empty() ? fs::path(home) / "token"
                                          : expandTilde("~/.cache/huggingface/token");
    try {
        return isFile(file) ? trimmed(readFile(file)) : std::string();
    } catch (const Error&) {
        return {};  // what needs no token can be had without
    }
}

bool isOn(const std::string& value) {
    return value == "1" || value == "true" || value == "TRUE" || value == "True" || value == "yes" ||
           value == "YES" || value == "on" || value == "ON";
}

void requirePrintable(const std::string& value, const char* variable) {
    const auto isPrintable = [](unsigned char letter) { return letter > ' ' && letter < 0x7f; };
    if (!std::ranges::all_of(value, isPrintable))
        throw Error(ErrorKind::Project, sentence("it holds a space or a letter that no address has"),
                    variable, sentence("Set it again, or unset it"));
}

/// "https://huggingface.co/a" -> "huggingface.co".
std::string hostOf(const std::string& url) {
    const std::size_t begin = url.find("://");
    const std::string rest = begin == std::string::npos ? url : url.substr(begin + 3);
    const std::string authority = rest.substr(0, rest.find('/'));
    return authority.substr(authority.rfind('@') == std::string::npos ? 0 : authority.rfind('@') + 1);
}

/// Nobody between the two programs can read what is sent.
bool isPrivate(const std::string& url) {
    const std::string host = hostOf(url);
    const std::string name =
        host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
    return url.starts_with("https://") || name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

}  // namespace

DownloadServer usualServer() {
    DownloadServer server{.token = {}, .offline = isOn(valueOf("HF_HUB_OFFLINE"))};
    if (std::string endpoint = trimmed(valueOf("HF_ENDPOINT")); !endpoint.empty()) {
        requirePrintable(endpoint, "HF_ENDPOINT");
        while (endpoint.ends_with('/'))
            endpoint.pop_back();
        if ((!endpoint.starts_with("https://") && !endpoint.starts_with("http://")) ||
            hostOf(endpoint).empty())
            throw Error(ErrorKind::Project, sentence("\"{}\" is no address of a server", endpoint),
                        "HF_ENDPOINT", sentence("Set it to an address such as https://huggingface.co"));
        server.endpoint = endpoint;
    }
    server.token = trimmed(valueOf("HF_TOKEN"));
    if (server.token.empty())
        server.token = keptToken();
    requirePrintable(server.token, "HF_TOKEN");
    if (const std::string limit = trimmed(valueOf("HF_HUB_DOWNLOAD_TIMEOUT")); !limit.empty()) {
        constexpr int longest = 3600;
        int value = 0;
        const auto [end, failure] = std::from_chars(limit.data(), limit.data() + limit.size(), value);
        if (failure != std::errc() || end != limit.data() + limit.size() || value < 1 || value > longest)
            throw Error(ErrorKind::Project, sentence("\"{}\" is no number of seconds", limit),
                        "HF_HUB_DOWNLOAD_TIMEOUT",
                        sentence("Set it to a whole number from 1 to {}", longest));
        server.stall = seconds(value);
    }
    return server;
}

namespace {

/// SHA-256 of bytes as they come.
class Sha256 {
  public:
    Sha256() : m_context(EVP_MD_CTX_new()) { restart(); }

    void restart() { EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr); }
    void add(std::span<const char> bytes) { EVP_DigestUpdate(m_context.get(), bytes.data(), bytes.size()); }

    /// Nothing may be added afterwards.
    std::string digits() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned int size = 0;
        EVP_DigestFinal_ex(m_context.get(), digest.data(), &size);
        return fmt::format("{:02x}", fmt::join(digest.data(), digest.data() + size, ""));
    }

  private:
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> m_context;
};

Error notWritten(const fs::path& file, int code) {
    if (code == ENOSPC || code == EDQUOT || code == EFBIG)
        return {ErrorKind::Resources,
                sentence("the disk is full ({}; {} free)", std::strerror(code),
                         formatBytes(freeDiskSpace(file.parent_path()))),
                withTilde(file),
                sentence("Free space, then start the download again: it goes on where it ended")};
    return {ErrorKind::Input, sentence("the file could not be written ({})", std::strerror(code)),
            withTilde(file), sentence("Choose a models folder that you may write to")};
}

/// An open file that ends with the object.
class OpenFile {
  public:
    OpenFile(const fs::path& path, int flags) : m_path(path) {
        constexpr mode_t mode = 0666;  // and what the umask leaves of it
        m_descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
        struct stat status {};
        if (m_descriptor < 0 || ::fstat(m_descriptor, &status) != 0)
            throw notWritten(path, errno);
        if (!S_ISREG(status.st_mode)) {
            ::close(m_descriptor);
            throw notWritten(path, EINVAL);
        }
    }
    ~OpenFile() { ::close(m_descriptor); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] const fs::path& path() const { return m_path; }

  private:
    fs::path m_path;
    int m_descriptor = -1;
};

/// Beside a partial file: what its rest has to be of.
fs::path noteOf(const fs::path& partial) {
    return partial.string() + ".json";
}

/// What a file of an earlier run holds already, with what is needed to go on with it.
class PartialFile {
  public:
    /// `sha256`: of the whole file, where it is known; a beginning of another one is dropped.
    PartialFile(const fs::path& file, const std::string& sha256, const StopToken& stop)
        : m_target(file), m_file(partialFileOf(file), O_RDWR | O_CREAT) {
        const json note = readNote();
        const auto text = [&note](const char* key) {
            const auto found = note.find(key);
            return found != note.end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        m_tag = text("etag");
        // Without a tag or a hash nothing would tell that the rest belongs to another version of the file.
        if (text("sha256") != sha256 || (m_tag.empty() && sha256.empty()))
            restart();
        else
            hashWhatIsThere(stop);
    }

    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] const std::string& tag() const { return m_tag; }

    void restart() {
        if (::ftruncate(m_file.descriptor(), 0) != 0 || ::lseek(m_file.descriptor(), 0, SEEK_SET) != 0)
            throw notWritten(m_file.path(), errno);
        m_size = 0;
        m_hash.restart();
    }

    /// What the bytes from now on belong to.
    void keepNote(const std::string& tag, const std::string& sha256) {
        m_tag = tag;
        writeFileAtomically(noteFile(), json{{"etag", tag}, {"sha256", sha256}}.dump() + "\n");
    }

    void append(std::span<const char> bytes) {
        m_hash.add(bytes);
        while (!bytes.empty()) {
            const ssize_t written = ::write(m_file.descriptor(), bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR)
                continue;
            if (written < 0)
                throw notWritten(m_file.path(), errno);
            m_size += static_cast<std::uint64_t>(written);
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
    }

    /// Once, when all bytes are there.
    std::string sha256() { return m_hash.digits(); }

    /// Gives the file its name. Readers never see less than all of it.
    void putIntoPlace() {
        if (::fsync(m_file.descriptor()) != 0)
            throw notWritten(m_file.path(), errno);
        if (::renameat2(AT_FDCWD, m_file.path().c_str(), AT_FDCWD, m_target.c_str(), RENAME_NOREPLACE) != 0)
            throw notWritten(m_target, errno);
        removeNote();
        const int folder = ::open(m_target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ::fsync(folder);
        ::close(folder);
    }

    void remove() {
        std::error_code ignored;
        fs::remove(m_file.path(), ignored);
        removeNote();
    }

  private:
    [[nodiscard]] fs::path noteFile() const { return noteOf(m_file.path()); }

    void removeNote() const {
        std::error_code ignored;
        fs::remove(noteFile(), ignored);
    }

    [[nodiscard]] json readNote() const {
        try {
            return readJsonObject(noteFile());
        } catch (const Error&) {
            return json::object();  // none, or one that a power cut damaged: the file begins anew
        }
    }

    void hashWhatIsThere(const StopToken& stop) {
        constexpr std::size_t blockBytes = 1 << 20;
        std::vector<char> block(blockBytes);
        for (;;) {
            throwIfStopped(stop);
            const ssize_t got = ::read(m_file.descriptor(), block.data(), block.size());
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                break;
            m_hash.add(std::span(block).first(static_cast<std::size_t>(got)));
            m_size += static_cast<std::uint64_t>(got);
        }
    }

    fs::path m_target;
    OpenFile m_file;
    Sha256 m_hash;
    std::uint64_t m_size = 0;
    std::string m_tag;
};

// Asking.

using Headers = std::map<std::string, std::string>;

std::string lowerCase(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter);
    });
    return text;
}

std::string valueIn(const Headers& headers, const std::string& name) {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> numberIn(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// An answer to one request: the last one's status and headers, where several were redirected.
struct Answer {
    CURLcode outcome = CURLE_OK;
    long status = 0;
    Headers headers;
    std::string reason;  ///< libcurl's, where there is no answer
};

/// The certificates of authorities. libcurl knows only their place on the system that it was built on.
std::string authoritiesFile() {
    if (std::string asked = valueOf("SSL_CERT_FILE"); !asked.empty())
        return asked;
    for (const char* usual : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                              "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
        if (isFile(usual))
            return usual;
    return {};
}

struct CurlFree {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// One connection to a server, kept from request to request.
class Connection {
  public:
    /// Takes the bytes of a body with the answer that they belong to; false ends the request.
    using Body = std::function<bool(const Answer&, std::span<const char>)>;

    Connection(const DownloadServer& server, StopToken stop) : m_server(server), m_stop(std::move(stop)) {
        static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
        m_handle.reset(ready == CURLE_OK ? curl_easy_init() : nullptr);
        if (!m_handle)
            throw Error(ErrorKind::Internal, "libcurl does not start");
    }

    /// Asks without its body, and without following a redirection.
    Answer head(const std::string& url) {
        prepare(url);
        set(CURLOPT_NOBODY, 1L);
        return perform({});
    }

    /// `from`: bytes that are there already; `tag`: of the version that they are of.
    Answer get(const std::string& url, std::uint64_t from, const std::string& tag, const Body& body) {
        prepare(url);
        set(CURLOPT_FOLLOWLOCATION, 1L);
        std::unique_ptr<curl_slist, CurlFree> headers;
        if (from > 0) {
            set(CURLOPT_RANGE, fmt::format("{}-", from).c_str());
            if (!tag.empty()) {
                headers.reset(curl_slist_append(nullptr, ("If-Range: " + tag).c_str()));
                set(CURLOPT_HTTPHEADER, headers.get());
            }
        }
        return perform(body);
    }

    [[nodiscard]] std::string escaped(const std::string& part) const {
        const std::unique_ptr<char, void (*)(void*)> text(
            curl_easy_escape(m_handle.get(), part.c_str(), static_cast<int>(part.size())), curl_free);
        return text ? text.get() : part;
    }

  private:
    template <typename Value>
    void set(CURLoption option, Value value) {
        if (const CURLcode code = curl_easy_setopt(m_handle.get(), option, value); code != CURLE_OK)
            throw Error(ErrorKind::Internal,
                        std::string("libcurl refuses an option: ") + curl_easy_strerror(code));
    }

    void prepare(const std::string& url) {
        curl_easy_reset(m_handle.get());
        constexpr long connectSeconds = 20;
        constexpr long mostRedirections = 8;
        constexpr long bufferBytes = 256 * 1024;
        const bool encrypted = m_server.endpoint.starts_with("https://");
        set(CURLOPT_URL, url.c_str());
        set(CURLOPT_USERAGENT, fmt::format("meshreel/{}", versionNumber()).c_str());
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_MAXREDIRS, mostRedirections);
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_REDIR_PROTOCOLS_STR, encrypted ? "https" : "http,https");
        set(CURLOPT_CONNECTTIMEOUT, connectSeconds);
        set(CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(m_server.stall.count()));
        set(CURLOPT_BUFFERSIZE, bufferBytes);
        if (!m_authorities.empty())
            set(CURLOPT_CAINFO, m_authorities.c_str());
        set(CURLOPT_ERRORBUFFER, m_reason.data());
        m_reason.front() = '\0';
        // libcurl sends this to no other host that it is redirected to.
        if (!m_server.token.empty() && isPrivate(m_server.endpoint)) {
            set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
            set(CURLOPT_XOAUTH2_BEARER, m_server.token.c_str());
        }
    }

    Answer perform(const Body& body) {
        m_answer = {};
        m_body = &body;
        m_failure = nullptr;
        set(CURLOPT_HEADERFUNCTION, &Connection::takeHeader);
        set(CURLOPT_HEADERDATA, this);
        set(CURLOPT_WRITEFUNCTION, &Connection::takeBody);
        set(CURLOPT_WRITEDATA, this);
        set(CURLOPT_NOPROGRESS, 0L);
        set(CURLOPT_XFERINFOFUNCTION, &Connection::mustStop);
        set(CURLOPT_XFERINFODATA, this);
        m_answer.outcome = curl_easy_perform(m_handle.get());
        curl_easy_getinfo(m_handle.get(), CURLINFO_RESPONSE_CODE, &m_answer.status);
        m_answer.reason = m_reason.front() != '\0' ? m_reason.data() : curl_easy_strerror(m_answer.outcome);
        if (m_failure)
            std::rethrow_exception(m_failure);
        throwIfStopped(m_stop);
        return std::move(m_answer);
    }

    static std::size_t takeHeader(char* bytes, std::size_t, std::size_t count, void* self) {
        constexpr std::size_t mostHeaders = 500;
        Answer& answer = static_cast<Connection*>(self)->m_answer;
        const std::string_view line(bytes, count);
        if (line.starts_with("HTTP/"))
            answer.headers.clear();  // of the answer that redirected
        else if (const std::size_t colon = line.find(':');
                 colon != std::string_view::npos && answer.headers.size() < mostHeaders)
            answer.headers[lowerCase(std::string(line.substr(0, colon)))] =
                trimmed(std::string(line.substr(colon + 1)));
        return count;
    }

    static std::size_t takeBody(char* bytes, std::size_t, std::size_t count, void* self) {
        auto& connection = *static_cast<Connection*>(self);
        curl_easy_getinfo(connection.m_handle.get(), CURLINFO_RESPONSE_CODE, &connection.m_answer.status);
        try {
            if (!*connection.m_body || (*connection.m_body)(connection.m_answer, std::span(bytes, count)))
                return count;
        } catch (...) {
            connection.m_failure = std::current_exception();
        }
        return CURL_WRITEFUNC_ERROR;
    }

    static int mustStop(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
        return static_cast<Connection*>(self)->m_stop.stop_requested() ? 1 : 0;
    }

    const DownloadServer& m_server;
    StopToken m_stop;
    std::unique_ptr<CURL, CurlFree> m_handle;
    std::string m_authorities = authoritiesFile();
    std::array<char, CURL_ERROR_SIZE> m_reason{};
    Answer m_answer;
    const Body* m_body = nullptr;
    std::exception_ptr m_failure;
};

// What answers mean.

bool isRedirection(long status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// The server may answer another time.
bool isBusy(long status) {
    return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

/// Trying again cannot help: the address, the certificate, or a proxy is wrong.
bool isHopeless(CURLcode outcome) {
    switch (outcome) {
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_URL_MALFORMAT:
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_TOO_MANY_REDIRECTS:
            return true;
        default:
            return false;
    }
}

/// A published thing and where it is asked for.
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

Error wrongBytes(const Asked& asked, const Sentence& what) {
    return {ErrorKind::Mismatch, sentence("the file is not the one that was published ({})", what),
            asked.where(),
            sentence("What was downloaded is removed. Try again, or from another server by HF_ENDPOINT")};
}

/// Seconds or a date (RFC 9110, 10.2.3).
std::optional<seconds> retryAfter(const Headers& headers) {
    const std::string value = valueIn(headers, "retry-after");
    if (const auto number = numberIn(value))
        return seconds(static_cast<std::int64_t>(std::min<std::uint64_t>(*number, 1U << 30U)));
    if (const std::time_t when = value.empty() ? -1 : curl_getdate(value.c_str(), nullptr); when >= 0)
        return seconds(std::max<std::time_t>(0, when - std::time(nullptr)));
    return std::nullopt;
}

/// Waits between tries and gives up after some in a row that brought nothing.
class Patience {
  public:
    Patience(const Asked& asked, StopToken stop)
        : m_asked(asked), m_stop(std::move(stop)), m_pause(asked.server.backoff) {}

    /// Something came: the next failure is the first again.
    void encourage() {
        m_failures = 0;
        m_pause = m_asked.server.backoff;
    }

    /// Throws `failure` when it was the last try.
    void wait(const Error& failure, const std::optional<seconds>& asked = std::nullopt) {
        constexpr seconds longestWait{600};
        constexpr milliseconds longestPause{30'000};
        if (++m_failures >= m_asked.server.tries)
            throw failure;
        if (asked && *asked > longestWait)
            throw Error(failure.kind(), failure.message(), failure.where(),
                        sentence("The server asks to wait for {} minutes: start the download again then",
                                 (asked->count() + 59) / 60));
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
    int m_failures = 0;
};

/// What the server says of a file before it sends it.
struct Listing {
    std::string url;
    std::optional<std::uint64_t> bytes;
    std::string sha256;  ///< of the table, else of the server; may be empty
    std::string commit;
};

std::string addressOf(const Asked& asked, const Connection& connection) {
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
std::string sha256In(const Headers& headers) {
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
std::optional<std::string> movedWithin(const DownloadServer& server, const Answer& answer) {
    const std::string location = valueIn(answer.headers, "location");
    if (!isRedirection(answer.status) || answer.headers.contains("x-linked-size"))
        return std::nullopt;
    if (location.starts_with('/') && !location.starts_with("//")) {
        const std::size_t host = server.endpoint.find("://") + 3;
        return server.endpoint.substr(0, server.endpoint.find('/', host)) + location;
    }
    return location.starts_with(server.endpoint + "/") ? std::optional(location) : std::nullopt;
}

Listing askFor(const Asked& asked, Connection& connection, const StopToken& stop) {
    constexpr int mostMoves = 5;
    if (asked.server.offline)
        throw Error(ErrorKind::Project, sentence("it forbids to ask any server"), "HF_HUB_OFFLINE",
                    sentence("Unset it to download"));
    const OfferedFile& file = *asked.located.file;
    Listing listing{.url = addressOf(asked, connection), .bytes = {}, .sha256 = file.sha256, .commit = {}};
    Patience patience(asked, stop);
    Answer answer;
    std::string url = listing.url;
    for (int moves = 0;;) {
        answer = connection.head(url);
        if (answer.outcome != CURLE_OK) {
            const Error failure = unreachable(asked, visibleText(answer.reason));
            // Without a network, waiting would only hide it.
            if (isHopeless(answer.outcome) || answer.outcome == CURLE_COULDNT_RESOLVE_HOST ||
                answer.outcome == CURLE_COULDNT_CONNECT)
                throw failure;
            patience.wait(failure);
            continue;
        }
        if (isBusy(answer.status)) {
            patience.wait(refusedBy(asked, answer.status), retryAfter(answer.headers));
            continue;
        }
        const std::optional<std::string> moved = movedWithin(asked.server, answer);
        if (!moved || ++moves > mostMoves)
            break;
        url = *moved;
    }
    if (answer.status != 200 && !isRedirection(answer.status))
        throw refusedBy(asked, answer.status);
    listing.bytes = numberIn(valueIn(answer.headers, "x-linked-size"));
    if (!listing.bytes && answer.status == 200)
        listing.bytes = numberIn(valueIn(answer.headers, "content-length"));
    listing.commit = valueIn(answer.headers, "x-repo-commit");
    const std::string told = sha256In(answer.headers);
    if (listing.sha256.empty())
        listing.sha256 = told;
    else if (!told.empty() && told != listing.sha256)
        throw Error(ErrorKind::Mismatch,
                    sentence("{} now has another file of this name than the one that was published",
                             hostOf(asked.server.endpoint)),
                    asked.where(),
                    sentence("Nothing was downloaded. A newer version of Meshreel may know the new file"));
    if (file.exact && listing.bytes && *listing.bytes != file.bytes)
        throw Error(ErrorKind::Mismatch,
                    sentence("{} has {} bytes of this file, and {} were published",
                             hostOf(asked.server.endpoint), *listing.bytes, file.bytes),
                    asked.where(),
                    sentence("Nothing was downloaded. A newer version of Meshreel may know the new file"));
    if (!listing.bytes && file.exact)
        listing.bytes = file.bytes;
    return listing;
}

/// Where a part of a file begins and how long the whole is: "bytes 100-199/200", "bytes */200".
struct ContentRange {
    std::optional<std::uint64_t> begin;
    std::optional<std::uint64_t> total;
};

ContentRange contentRange(const Headers& headers) {
    const std::string value = valueIn(headers, "content-range");
    constexpr std::string_view unit = "bytes ";
    if (!lowerCase(value).starts_with(unit))
        return {};
    const std::size_t dash = value.find('-');
    const std::size_t slash = value.find('/');
    ContentRange range;
    if (slash != std::string::npos)
        range.total = numberIn(std::string_view(value).substr(slash + 1));
    if (dash != std::string::npos && dash > unit.size())
        range.begin = numberIn(std::string_view(value).substr(unit.size(), dash - unit.size()));
    return range;
}

/// Downloads one file into its hidden name, from where an earlier run left it.
class Transfer {
  public:
    Transfer(const Asked& asked, const Listing& listing, Connection& connection, PartialFile& file)
        : m_asked(asked), m_listing(listing), m_connection(connection), m_file(file) {}

    /// Returns when every byte is there. `came` is told how many are, of which some may be dropped again.
    void run(const std::function<void(std::uint64_t)>& came, const StopToken& stop) {
        Patience patience(m_asked, stop);
        while (!isWhole()) {
            if (m_listing.bytes && m_file.size() > *m_listing.bytes)
                m_file.restart();
            const std::uint64_t before = m_file.size();
            bool begun = false;
            bool tooLong = false;
            const Answer answer = m_connection.get(
                m_listing.url, before, m_file.tag(), [&](const Answer& head, std::span<const char> bytes) {
                    if (head.status != 200 && head.status != 206)
                        return true;  // the words of a refusal
                    if (!begun && !begin(head, before))
                        return false;
                    begun = true;
                    if (m_listing.bytes && m_file.size() + bytes.size() > *m_listing.bytes) {
                        tooLong = true;
                        return false;
                    }
                    m_file.append(bytes);
                    came(m_file.size());
                    return true;
                });
            if (tooLong)
                throw wrongBytes(m_asked, sentence("it is longer than {} bytes", *m_listing.bytes));
            if (begun && m_file.size() != before)
                patience.encourage();
            judge(answer, begun, patience);
        }
    }

  private:
    [[nodiscard]] bool isWhole() const {
        return m_whole || (m_listing.bytes && m_file.size() == *m_listing.bytes);
    }

    /// Decides what the bytes that follow are: the rest, or the whole from its beginning. False when they are
    /// neither.
    bool begin(const Answer& head, std::uint64_t from) {
        if (head.status == 206) {
            const ContentRange range = contentRange(head.headers);
            const bool fits =
                range.begin == from && (!m_listing.bytes || !range.total || range.total == m_listing.bytes);
            if (!fits) {
                m_file.restart();
                return false;
            }
        } else if (from > 0) {
            m_file.restart();  // the server knows no ranges, or has another version by now
        }
        m_file.keepNote(strongTag(head.headers), m_listing.sha256);
        return true;
    }

    /// Only a strong tag tells that two versions have the same bytes (RFC 9110, 13.1.5).
    static std::string strongTag(const Headers& headers) {
        const std::string tag = valueIn(headers, "etag");
        return tag.starts_with("W/") ? std::string() : tag;
    }

    void judge(const Answer& answer, bool begun, Patience& patience) {
        if (answer.outcome == CURLE_OK && (answer.status == 200 || answer.status == 206)) {
            if (!m_listing.bytes)
                m_whole = true;
            else if (!isWhole())
                patience.wait(unreachable(m_asked, sentence("the connection ended early")));
            return;
        }
        if (answer.outcome == CURLE_OK && answer.status == 416) {
            const bool isAll = contentRange(answer.headers).total == m_file.size() && !m_listing.bytes;
            if (isAll)
                m_whole = true;
            else
                m_file.restart();
            if (!isAll)
                patience.wait(refusedBy(m_asked, answer.status), seconds(0));
            return;
        }
        if (answer.outcome == CURLE_OK && isBusy(answer.status))
            return patience.wait(refusedBy(m_asked, answer.status), retryAfter(answer.headers));
        if (answer.outcome == CURLE_OK)
            throw refusedBy(m_asked, answer.status);
        if (isHopeless(answer.outcome))
            throw unreachable(m_asked, visibleText(answer.reason));
        patience.wait(
            unreachable(m_asked, visibleText(answer.reason)),
            answer.outcome == CURLE_WRITE_ERROR && !begun ? std::optional(seconds(0)) : std::nullopt);
    }

    const Asked& m_asked;
    const Listing& m_listing;
    Connection& m_connection;
    PartialFile& m_file;
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
    std::uint64_t m_finished = 0;  ///< of the files before this one
    std::uint64_t m_last = 0;
    Clock::time_point m_since = Clock::now();
};

/// One process at a time writes into a models folder.
class FolderLock {
  public:
    explicit FolderLock(const fs::path& folder) : m_file(folder / ".meshreel-get.lock", O_RDWR | O_CREAT) {
        if (::flock(m_file.descriptor(), LOCK_EX | LOCK_NB) != 0)
            throw Error(ErrorKind::Input, sentence("another Meshreel downloads into this folder"),
                        withTilde(folder), sentence("Wait until it is done, or stop it"));
    }

  private:
    OpenFile m_file;
};

void makeFolder(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        throw notWritten(folder, failure.value());
}

std::string hashOf(const fs::path& file, const StopToken& stop) {
    constexpr std::size_t blockBytes = 1 << 20;
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return {};
    Sha256 hash;
    std::vector<char> block(blockBytes);
    ssize_t got = 0;
    while (!stop.stop_requested() && (got = ::read(descriptor, block.data(), block.size())) > 0)
        hash.add(std::span(block).first(static_cast<std::size_t>(got)));
    ::close(descriptor);
    throwIfStopped(stop);
    return got == 0 ? hash.digits() : std::string();
}

/// A hard link, so that the file stays when the other program removes its own; on another disk a link to it.
/// Nothing where it is not the file that was published.
std::optional<GotFile> share(const LocatedFile& located, const fs::path& target, const StopToken& stop) {
    std::error_code failure;
    const fs::path source = fs::canonical(located.path, failure);
    if (failure)
        return std::nullopt;
    const std::string& published = located.file->sha256;
    const std::string sha256 = published.empty() ? std::string() : hashOf(source, stop);
    if (sha256 != published)
        return std::nullopt;
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
                   .sha256 = sha256,
                   .commit = {}};
}

void keepRecord(const LocatedFile& located, const GotFile& got, const std::string& endpoint) {
    const ModelOffer& offer = *located.offer;
    const json record{{"repository", offer.repository}, {"revision", offer.revision}, {"commit", got.commit},
                      {"path", located.file->path},     {"server", endpoint},         {"bytes", got.bytes},
                      {"sha256", got.sha256},           {"licence", offer.licence}};
    writeFileAtomically(recordFileOf(got.path), record.dump(2) + "\n");
}

/// A file and what is known of it before the first byte comes.
struct Task {
    LocatedFile located;
    fs::path target;
    Listing listing;
};

void requireDisk(const std::vector<Task>& tasks, const fs::path& folder) {
    std::uint64_t needed = 0;
    for (const Task& task : tasks) {
        const std::uint64_t all = task.listing.bytes.value_or(task.located.file->bytes);
        needed += all - std::min(all, task.located.bytesBegun);
    }
    if (const std::uint64_t free = freeDiskSpace(folder); needed > free)
        throw Error(
            ErrorKind::Resources,
            sentence("{} are to be downloaded, and {} are free", formatBytes(needed), formatBytes(free)),
            withTilde(folder),
            sentence("Free {}, or choose a models folder on another disk", formatBytes(needed - free)));
}

void requireFreeName(const fs::path& target) {
    if (fs::exists(fs::symlink_status(target)))
        throw Error(ErrorKind::Input, sentence("a different file has this name"), withTilde(target),
                    sentence("Rename or remove it: it is not the one that was published"));
}

GotFile download(const Task& task, const DownloadServer& server, Connection& connection, ProgressMeter& meter,
                 const StopToken& stop) {
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
            file.putIntoPlace();
            meter.advance(file.size(), true);
            return {.path = task.target,
                    .origin = FileOrigin::Downloaded,
                    .bytes = file.size(),
                    .sha256 = task.listing.sha256.empty() ? std::string() : sha256,
                    .commit = task.listing.commit};
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
    Connection connection(server, stop);
    for (const LocatedFile& located : order) {
        if (located.state == FileState::Here) {
            got.push_back({.path = located.path, .bytes = located.file->bytes, .sha256 = {}, .commit = {}});
            continue;
        }
        const fs::path target = folder / located.file->place;
        requireFreeName(target);
        makeFolder(target.parent_path());
        if (located.state == FileState::Elsewhere)
            if (std::optional<GotFile> shared = share(located, target, stop)) {
                keepRecord(located, *shared, server.endpoint);
                got.push_back(*std::move(shared));
                continue;
            }
        Task task{.located = located, .target = target, .listing = {}};
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
    std::error_code ignored;
    for (const LocatedFile& located : order) {
        const fs::path partial = partialFileOf(folder / located.file->place);
        fs::remove(partial, ignored);
        fs::remove(noteOf(partial), ignored);
    }
}

}  // namespace meshreel
