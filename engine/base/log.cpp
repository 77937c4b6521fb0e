// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/log.h"

#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/base/files.h"
#include "engine/base/strings.h"

namespace meshreel {
namespace {

/// spdlog's own file sink would follow a link. A line that cannot be written is lost: more important writes
/// report a full disk.
class PlainFileSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit PlainFileSink(const std::filesystem::path& file)
        : m_descriptor(openPlainFile(file, O_WRONLY | O_APPEND | O_CREAT)) {}
    ~PlainFileSink() override { ::close(m_descriptor); }
    PlainFileSink(const PlainFileSink&) = delete;
    PlainFileSink& operator=(const PlainFileSink&) = delete;

  protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        const std::string visible = visibleText({line.data(), line.size()});
        for (std::string_view rest = visible; !rest.empty();) {
            const ssize_t written = ::write(m_descriptor, rest.data(), rest.size());
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                return;
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    void flush_() override {}

  private:
    int m_descriptor;
};

}  // namespace

LogPtr silentLog() {
    return std::make_shared<Log>("silent", std::make_shared<spdlog::sinks::null_sink_mt>());
}

LogPtr fileLog(const std::filesystem::path& file) {
    auto sink = std::make_shared<PlainFileSink>(file);
    sink->set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%l] %v");
    return std::make_shared<Log>("run", std::move(sink));
}

}  // namespace meshreel
