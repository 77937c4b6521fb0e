// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/web_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/overloaded.h"
#include "engine/queue/queued_run.h"
#include "engine/serve/client_checks.h"

namespace meshreel {
namespace {

constexpr std::size_t headerMemory = 32UL * 1024;       ///< of a connection; longer headers get 431
constexpr std::size_t threadStack = 4UL * 1024 * 1024;  ///< planning reads models on these threads
constexpr std::size_t formBuffer = 16UL * 1024;
constexpr std::size_t streamBlock = 32UL * 1024;

/// ".png" of "picture.PNG", if it is short and plain: libraries go by it. What else a client calls a file is
/// part of no path.
std::string plainExtension(std::string_view name) {
    constexpr std::size_t longest = 5;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || name.size() - dot - 1 > longest || dot + 1 == name.size())
        return {};
    std::string extension = inSmallLetters(name.substr(dot));
    const bool isPlain = std::all_of(extension.begin() + 1, extension.end(), [](char each) {
        return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9');
    });
    return isPlain ? extension : std::string();
}

enum MHD_Result takeInto(void* fields, enum MHD_ValueKind kind, const char* key, const char* value) {
    if (key == nullptr)
        return MHD_YES;
    const std::string name = kind == MHD_HEADER_KIND ? inSmallLetters(key) : std::string(key);
    (*static_cast<WebFields*>(fields))[name] = value == nullptr ? "" : value;
    return MHD_YES;
}

/// One request while it comes in.
class Conversation {
  public:
    Conversation(const WebServerOptions& options, MHD_Connection* connection, const char* url,
                 const char* method)
        : m_options(options), m_connection(connection), m_began(std::chrono::steady_clock::now()) {
        m_request.method = std::strcmp(method, MHD_HTTP_METHOD_HEAD) == 0 ? "GET" : method;
        m_request.path = url;
        MHD_get_connection_values(connection, MHD_HEADER_KIND, &takeInto, &m_request.headers);
        MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, &takeInto, &m_request.query);
    }
    ~Conversation() {
        closeFile();
        if (m_form != nullptr)
            MHD_destroy_post_processor(m_form);
        if (!m_request.uploads.empty() && !m_request.keepsUploads) {
            std::error_code ignored;
            std::filesystem::remove_all(m_request.uploads, ignored);
        }
    }
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    [[nodiscard]] WebRequest& request() { return m_request; }

    /// Returns the answer to a body that says it is too long.
    [[nodiscard]] std::optional<WebAnswer> refusedLength() const {
        const std::string text = m_request.header("content-length");
        std::uint64_t length = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), length);
        if (!text.empty() && (failure != std::errc() || end != text.data() + text.size()))
            return webError(MHD_HTTP_BAD_REQUEST, "malformed_request", "Content-Length is no number");
        if (length <= mostBytes())
            return std::nullopt;
        return webError(MHD_HTTP_CONTENT_TOO_LARGE, "body_too_large",
                        "The body is larger than " + std::to_string(mostBytes()) + " bytes");
    }

    /// Prepares for the body. Returns false for a form without a boundary between its parts.
    bool beginBody() {
        if (isForm())
            m_form = MHD_create_post_processor(m_connection, formBuffer, &Conversation::takePart, this);
        return !isForm() || m_form != nullptr;
    }

    /// Returns false when the connection is to be cut.
    bool takeBody(const char* data, std::size_t size) {
        m_received += size;
        if (m_received > mostBytes() || std::chrono::steady_clock::now() - m_began > m_options.limits.upload)
            return false;
        if (m_form == nullptr && isWebForm() && m_received == size && *data != '{')
            m_form = MHD_create_post_processor(m_connection, formBuffer, &Conversation::takePart, this);
        if (m_form != nullptr)
            return MHD_post_process(m_form, data, size) == MHD_YES && !m_isSpoilt;
        m_request.body.append(data, size);
        return true;
    }

    /// The last part of a form is only known to be whole now. Returns false for one that breaks off.
    bool endBody() {
        if (m_form == nullptr)
            return true;
        const bool isWhole = MHD_destroy_post_processor(std::exchange(m_form, nullptr)) == MHD_YES;
        closeFile();
        return isWhole && !m_isSpoilt;
    }

  private:
    [[nodiscard]] bool isOfType(std::string_view type) const {
        return inSmallLetters(m_request.header("content-type")).starts_with(type);
    }
    [[nodiscard]] bool isForm() const { return isOfType("multipart/form-data"); }
    /// Without files. `curl -d` says so of JSON, too, which begins with a brace.
    [[nodiscard]] bool isWebForm() const { return isOfType("application/x-www-form-urlencoded"); }
    [[nodiscard]] std::uint64_t mostBytes() const {
        return isForm() ? m_options.limits.body : m_options.limits.text;
    }

    static enum MHD_Result takePart(void* self, enum MHD_ValueKind /*kind*/, const char* key,
                                    const char* fileName, const char* /*type*/, const char* /*encoding*/,
                                    const char* data, std::uint64_t offset, std::size_t size) {
        auto& conversation = *static_cast<Conversation*>(self);
        try {
            const bool isTaken =
                key != nullptr &&
                (fileName == nullptr ? conversation.takeField(key, {data, size}, offset)
                                     : conversation.takeFile(key, fileName, {data, size}, offset));
            conversation.m_isSpoilt = conversation.m_isSpoilt || !isTaken;
        } catch (const std::exception&) {
            conversation.m_isSpoilt = true;
        }
        return conversation.m_isSpoilt ? MHD_NO : MHD_YES;
    }

    bool takeField(const std::string& key, std::string_view data, std::uint64_t offset) {
        std::string& value = m_request.fields[key];
        if (offset == 0)
            value.clear();
        value += data;
        m_fieldBytes += data.size();
        return m_fieldBytes <= m_options.limits.text &&
               m_request.fields.size() <= static_cast<std::size_t>(m_options.limits.fields);
    }

    bool takeFile(const char* key, const char* name, std::string_view data, std::uint64_t offset) {
        if (offset == 0) {
            closeFile();
            if (m_request.files.size() >= static_cast<std::size_t>(m_options.limits.files))
                return false;
            if (m_request.uploads.empty()) {
                const std::filesystem::path folder = m_options.uploads / newRunId();
                std::filesystem::create_directories(m_options.uploads);
                if (!std::filesystem::create_directory(folder))
                    return false;
                m_request.uploads = folder;
            }
            const std::filesystem::path path =
                m_request.uploads / (std::to_string(m_request.files.size()) + plainExtension(name));
            constexpr mode_t ownOnly = 0600;
            m_file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, ownOnly);
            if (m_file < 0)
                return false;
            m_request.files.push_back({.field = key, .name = name, .path = path});
        }
        while (!data.empty()) {
            const ssize_t written = ::write(m_file, data.data(), data.size());
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                return false;
            data.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }

    void closeFile() {
        if (m_file >= 0)
            ::close(std::exchange(m_file, -1));
    }

    const WebServerOptions& m_options;
    MHD_Connection* m_connection;
    std::chrono::steady_clock::time_point m_began;
    WebRequest m_request;
    MHD_PostProcessor* m_form = nullptr;
    bool m_isSpoilt = false;
    std::uint64_t m_received = 0;
    std::uint64_t m_fieldBytes = 0;
    int m_file = -1;
};

/// Cuts connections whose headers take too long: libmicrohttpd notices silence alone, and a byte now and then
/// is none. For several threads.
class HeaderPatience {
  public:
    explicit HeaderPatience(std::chrono::seconds most) : m_most(most), m_watch([this] { watch(); }) {}
    ~HeaderPatience() {
        {
            const std::scoped_lock lock(m_mutex);
            m_ends = true;
        }
        m_wake.notify_all();
        m_watch.join();
    }
    HeaderPatience(const HeaderPatience&) = delete;
    HeaderPatience& operator=(const HeaderPatience&) = delete;

    /// From now on headers are waited for.
    void begin(MHD_Connection* connection) {
        const std::scoped_lock lock(m_mutex);
        m_waiting.insert_or_assign(socketOf(connection), std::chrono::steady_clock::now());
    }
    /// They are there, or the connection is about to be closed; its socket is still open.
    void end(MHD_Connection* connection) {
        const std::scoped_lock lock(m_mutex);
        m_waiting.erase(socketOf(connection));
    }

  private:
    static int socketOf(MHD_Connection* connection) {
        return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    }

    void watch() {
        constexpr std::chrono::seconds pause{1};
        std::unique_lock lock(m_mutex);
        while (!m_wake.wait_for(lock, pause, [this] { return m_ends; })) {
            const auto latest = std::chrono::steady_clock::now() - m_most;
            for (const auto& [socket, since] : m_waiting)
                if (since < latest)
                    ::shutdown(socket, SHUT_RDWR);  // its thread closes it, and calls end() before
        }
    }

    std::chrono::seconds m_most;
    std::mutex m_mutex;  // guards what follows
    std::condition_variable m_wake;
    std::map<int, std::chrono::steady_clock::time_point> m_waiting;  ///< since when, by socket
    bool m_ends = false;
    std::thread m_watch;  ///< last: it uses the rest
};

/// A stream whose pieces are longer than what is asked for at a time.
struct StreamReader {
    WebStream next;
    std::string rest = {};
    std::size_t taken = 0;

    static ssize_t read(void* self, std::uint64_t /*position*/, char* buffer, std::size_t most) {
        auto& reader = *static_cast<StreamReader*>(self);
        try {
            while (reader.taken == reader.rest.size()) {
                std::optional<std::string> piece = reader.next();
                if (!piece)
                    return MHD_CONTENT_READER_END_OF_STREAM;
                reader.rest = std::move(*piece);
                reader.taken = 0;
            }
        } catch (const std::exception&) {
            return MHD_CONTENT_READER_END_WITH_ERROR;
        }
        const std::size_t count = std::min(most, reader.rest.size() - reader.taken);
        std::memcpy(buffer, reader.rest.data() + reader.taken, count);
        reader.taken += count;
        return static_cast<ssize_t>(count);
    }

    static void forget(void* self) { delete static_cast<StreamReader*>(self); }
};

MHD_Response* responseOf(WebAnswer& answer) {
    return std::visit(
        Overloaded{
            [](std::string& text) {
                return MHD_create_response_from_buffer(text.size(), text.data(), MHD_RESPMEM_MUST_COPY);
            },
            [](FileSlice& slice) {
                const std::uint64_t length = slice.length();
                const std::uint64_t offset = slice.offset();
                return MHD_create_response_from_fd_at_offset64(length, slice.release(), offset);
            },
            [](WebStream& stream) {
                auto reader = std::make_unique<StreamReader>(StreamReader{.next = std::move(stream)});
                MHD_Response* const response = MHD_create_response_from_callback(
                    MHD_SIZE_UNKNOWN, streamBlock, &StreamReader::read, reader.get(), &StreamReader::forget);
                if (response != nullptr)
                    static_cast<void>(reader.release());
                return response;
            }},
        answer.body);
}

enum MHD_Result sendAnswer(MHD_Connection* connection, WebAnswer answer) {
    MHD_Response* const response = responseOf(answer);
    if (response == nullptr)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", answer.type.c_str());
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Content-Security-Policy", "default-src 'none'");
    for (const auto& [name, value] : answer.headers)
        MHD_add_response_header(response, name.c_str(), value.c_str());
    const enum MHD_Result result = MHD_queue_response(connection, answer.status, response);
    MHD_destroy_response(response);
    return result;
}

WebAnswer malformedForm() {
    return webError(MHD_HTTP_BAD_REQUEST, "malformed_form",
                    "The form breaks off, has no boundary, or has too many parts");
}

/// The address as the system has it, of either family.
struct SocketAddress {
    sockaddr_storage storage{};
    bool isVersion6 = false;

    SocketAddress(const std::string& text, std::uint16_t port) {
        const std::string numbers = text == "localhost" ? "127.0.0.1" : text;
        sockaddr_in version4{};
        sockaddr_in6 version6{};
        if (::inet_pton(AF_INET, numbers.c_str(), &version4.sin_addr) == 1) {
            version4.sin_family = AF_INET;
            version4.sin_port = htons(port);
            std::memcpy(&storage, &version4, sizeof version4);
        } else if (::inet_pton(AF_INET6, numbers.c_str(), &version6.sin6_addr) == 1) {
            version6.sin6_family = AF_INET6;
            version6.sin6_port = htons(port);
            std::memcpy(&storage, &version6, sizeof version6);
            isVersion6 = true;
        } else {
            throw Error(ErrorKind::Project, sentence("\"{}\" is no address in numbers", text), "--host",
                        sentence("Give one of this machine's, such as 192.168.1.5, or 0.0.0.0 for all"));
        }
    }
};

}  // namespace

struct WebServer::Inside {
    WebServerOptions options;
    Entry entry;
    Handler handler;
    HeaderPatience patience;
    MHD_Daemon* daemon = nullptr;

    Inside(WebServerOptions its, Entry letsIn, Handler answers)
        : options(std::move(its)),
          entry(std::move(letsIn)),
          handler(std::move(answers)),
          patience(options.limits.headers) {}

    /// libmicrohttpd calls it when the headers are there, with each part of the body, and at the end.
    static enum MHD_Result access(void* self, MHD_Connection* connection, const char* url, const char* method,
                                  const char* /*version*/, const char* data, std::size_t* size,
                                  void** state) {
        try {
            return static_cast<Inside*>(self)->serve(connection, url, method, data, *size, *state);
        } catch (const std::exception&) {
            return MHD_NO;  // no memory for an answer
        }
    }

    static void completed(void* self, MHD_Connection* connection, void** state,
                          enum MHD_RequestTerminationCode /*code*/) {
        delete static_cast<Conversation*>(*state);
        *state = nullptr;
        static_cast<Inside*>(self)->patience.begin(connection);  // for another request
    }

    static void connected(void* self, MHD_Connection* connection, void** /*socketState*/,
                          enum MHD_ConnectionNotificationCode code) {
        HeaderPatience& patience = static_cast<Inside*>(self)->patience;
        if (code == MHD_CONNECTION_NOTIFY_STARTED)
            patience.begin(connection);
        else
            patience.end(connection);
    }

    enum MHD_Result serve(MHD_Connection* connection, const char* url, const char* method, const char* data,
                          std::size_t& size, void*& state) {
        if (state == nullptr) {
            auto* const begun = new Conversation(options, connection, url, method);
            state = begun;  // gone with completed()
            patience.end(connection);
            if (std::optional<WebAnswer> refused = entry(begun->request()))
                return sendAnswer(connection, std::move(*refused));
            if (std::optional<WebAnswer> refused = begun->refusedLength())
                return sendAnswer(connection, std::move(*refused));
            if (!begun->beginBody())
                return sendAnswer(connection, malformedForm());
            return MHD_YES;
        }
        auto& conversation = *static_cast<Conversation*>(state);
        if (size > 0) {
            const bool isTaken = conversation.takeBody(data, size);
            size = 0;
            return isTaken ? MHD_YES : MHD_NO;
        }
        if (!conversation.endBody())
            return sendAnswer(connection, malformedForm());
        return sendAnswer(connection, answerTo(conversation.request()));
    }

    WebAnswer answerTo(WebRequest& request) const {
        try {
            return handler(request);
        } catch (const std::exception&) {
            return webError(MHD_HTTP_INTERNAL_SERVER_ERROR, "internal_error",
                            "The server failed; its own output says why");
        }
    }
};

WebServer::WebServer(WebServerOptions options, Entry entry, Handler handler)
    : m_inside(std::make_unique<Inside>(std::move(options), std::move(entry), std::move(handler))) {
    const WebServerOptions& own = m_inside->options;
    const SocketAddress address(own.address, own.port);
    const bool isSecret = !own.certificate.empty();
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL;
    flags |= address.isVersion6 ? static_cast<unsigned>(MHD_USE_IPv6) : 0U;
    flags |= isSecret ? static_cast<unsigned>(MHD_USE_TLS) : 0U;
    std::array<MHD_OptionItem, 3> secrets{};  // what follows the last one is MHD_OPTION_END
    if (isSecret) {
        secrets[0] = {MHD_OPTION_HTTPS_MEM_CERT, 0, const_cast<char*>(own.certificate.c_str())};
        secrets[1] = {MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char*>(own.privateKey.c_str())};
    }
    errno = 0;
    m_inside->daemon = MHD_start_daemon(
        flags, own.port, nullptr, nullptr, &Inside::access, m_inside.get(), MHD_OPTION_SOCK_ADDR,
        reinterpret_cast<const sockaddr*>(&address.storage), MHD_OPTION_NOTIFY_COMPLETED, &Inside::completed,
        m_inside.get(), MHD_OPTION_NOTIFY_CONNECTION, &Inside::connected, m_inside.get(),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, headerMemory, MHD_OPTION_CONNECTION_LIMIT, own.limits.connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, own.limits.connectionsOfAddress, MHD_OPTION_CONNECTION_TIMEOUT,
        static_cast<unsigned>(own.limits.silence.count()), MHD_OPTION_THREAD_STACK_SIZE, threadStack,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, secrets.data(), MHD_OPTION_END);
    if (m_inside->daemon != nullptr)
        return;
    const int reason = errno;
    if (isSecret && reason != EADDRINUSE && reason != EACCES && reason != EADDRNOTAVAIL)
        throw Error(ErrorKind::Project, sentence("the certificate and its key cannot be used"), "--tls-cert",
                    sentence("Give both as PEM: --tls-cert and --tls-key"));
    throw Error(ErrorKind::Input,
                sentence("the server cannot listen on {} ({})", own.address, std::strerror(reason)),
                std::to_string(own.port), sentence("Choose another port with --port, or end what uses it"));
}

WebServer::~WebServer() {
    if (m_inside->daemon != nullptr)
        MHD_stop_daemon(m_inside->daemon);
}

std::uint16_t WebServer::port() const {
    return MHD_get_daemon_info(m_inside->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

}  // namespace meshreel
