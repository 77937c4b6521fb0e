// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/null_sink.h>

#include "engine/base/error.h"

namespace meshreel {

LogPtr silentLog() {
    return std::make_shared<Log>("silent", std::make_shared<spdlog::sinks::null_sink_mt>());
}

LogPtr fileLog(const std::filesystem::path& file) {
    try {
        auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
        sink->set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%l] %v");
        auto log = std::make_shared<Log>("run", std::move(sink));
        log->flush_on(spdlog::level::trace);
        return log;
    } catch (const spdlog::spdlog_ex& failure) {
        throw Error(ErrorKind::Input, sentence("the log cannot be written: {}", failure.what()),
                    file.string(), sentence("Choose a folder you may write to"));
    }
}

}  // namespace meshreel
