// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/queue/queue_file.h"
#include "engine/queue/shared_queue.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_session.h"
#include "engine/serve/client_checks.h"
#include "engine/serve/event_feed.h"
#include "engine/serve/kept_results.h"
#include "engine/serve/queue_worker.h"
#include "engine/serve/video_service.h"
#include "engine/serve/web_exchange.h"
#include "engine/serve/web_server.h"
#include "engine/weights/cache/cache_folder.h"

namespace meshreel {
namespace {

struct ServeArguments {
    std::string host = "127.0.0.1";
    int port = 8000;
    std::string keyFile;
    std::string certificate;
    std::string privateKey;
    int mostWaiting = 100;
    std::string keep;
    RunOptions options;
    bool noCache = false;
};

WebServerOptions webOptions(const ServeArguments& arguments, const std::filesystem::path& inbox) {
    if (arguments.certificate.empty() != arguments.privateKey.empty())
        throw Error(ErrorKind::Project, "TLS takes a certificate and its key", "--tls-cert",
                    "Give both: --tls-cert and --tls-key");
    WebServerOptions web{
        .address = arguments.host, .port = static_cast<std::uint16_t>(arguments.port), .uploads = inbox};
    if (!arguments.certificate.empty()) {
        web.certificate = readFile(expandTilde(arguments.certificate));
        web.privateKey = readFile(expandTilde(arguments.privateKey));
    }
    return web;
}

/// The address that clients on this machine write.
std::string addressOf(const ServeArguments& arguments, std::uint16_t port) {
    const bool isVersion6 = arguments.host.find(':') != std::string::npos;
    return fmt::format("{}://{}{}{}:{}", arguments.certificate.empty() ? "http" : "https",
                       isVersion6 ? "[" : "", arguments.host, isVersion6 ? "]" : "", port);
}

void sayDamage(const SharedQueue& queue) {
    if (const std::optional<QueueDamage> damage = queue.damage())
        say(stderr, "the queue could not be read whole; it was set aside as {}\n", withTilde(damage->aside));
}

/// A connection takes a socket, and a file while something is sent or received.
void allowManyFiles() {
    constexpr rlim_t enough = 4096;
    struct rlimit files {};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= enough)
        return;
    files.rlim_cur = std::min(enough, files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
}

/// Tidies now and then until the program is to end.
void attend(VideoService& service, const Interrupt& interrupt) {
    constexpr std::chrono::minutes pause{10};
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (!interrupt.token().stop_requested()) {
        try {
            service.tidy();
        } catch (const std::exception& failure) {
            say(stderr, "old results could not be deleted: {}\n", failure.what());
        }
        never.wait_for(lock, interrupt.token(), pause, [] { return false; });
    }
}

int serve(ServeArguments& arguments) {
    if (underMpirun())
        throw Error(ErrorKind::Project, "a server is one process", "meshreel serve",
                    "Leave out mpirun; projects with hosts start their ranks");
    ServerAccess access{.address = arguments.host};
    if (!arguments.keyFile.empty())
        access.key = readKeyFile(expandTilde(arguments.keyFile));
    requireKeyBeyondLoopback(access);
    if (!arguments.noCache)
        arguments.options.caches = userCaches();
    const KeepLimit keep = arguments.keep.empty() ? KeepLimit() : readKeepLimit(arguments.keep);
    const std::filesystem::path inbox = userDataFolder() / "inbox";
    const WebServerOptions web = webOptions(arguments, inbox);

    allowManyFiles();
    const Interrupt interrupt;
    const auto sayLine = [](const std::string& line) { say(stderr, "{}\n", line); };
    SharedQueue queue(queueFile());
    queue.open();
    sayDamage(queue);
    EventFeed feed;
    QueueWorker worker(queue, feed, arguments.options, sayLine);
    VideoService service(queue, worker, feed,
                         {.inbox = inbox,
                          .runsFolder = runsFolder(),
                          .mostWaiting = static_cast<std::size_t>(arguments.mostWaiting),
                          .basis = readBasisHere(),
                          .keep = keep,
                          .say = sayLine});
    const WebServer server(
        web, [&access](const WebRequest& request) { return refusedEntry(request, access); },
        [&service](WebRequest& request) { return service.answer(request); });
    say("Serving on {}\n", addressOf(arguments, server.port()));
    std::fflush(stdout);
    attend(service, interrupt);
    service.close();
    return 0;
}

}  // namespace

Action declareServe(CLI::App& app) {
    const auto arguments = std::make_shared<ServeArguments>();
    app.add_option("--host", arguments->host,
                   "Address to listen on; one that others reach, such as 0.0.0.0, needs a key")
        ->type_name("ADDRESS")
        ->capture_default_str();
    app.add_option("--port", arguments->port, "Port to listen on; 0: any that is free")
        ->type_name("N")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    app.add_option("--key-file", arguments->keyFile,
                   "File whose first line clients have to send: Authorization: Bearer KEY")
        ->type_name("FILE");
    app.add_option("--tls-cert", arguments->certificate, "Certificate (PEM): the server speaks https alone")
        ->type_name("FILE");
    app.add_option("--tls-key", arguments->privateKey, "Private key of the certificate (PEM)")
        ->type_name("FILE");
    app.add_option("--most-waiting", arguments->mostWaiting,
                   "Runs that may wait in the queue; more are answered with 429")
        ->type_name("N")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--keep", arguments->keep,
                   "Delete results of requests after so many days (7d), or the oldest of so many gigabytes "
                   "(50GB), with their run folders; else they are kept")
        ->type_name("LIMIT");
    app.add_option("--workers", arguments->options.workers, "Threads of a device, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_flag("--low-priority", arguments->options.lowPriority, "Compute below interactive programs");
    app.add_flag("--no-cache", arguments->noCache,
                 "Encode prompts and pack weights anew, and keep neither for other runs");
    return [arguments] { return serve(*arguments); };
}

}  // namespace meshreel
