// SPDX-License-Identifier: GPL-3.0-or-later
// What rank_launcher_test.cpp launches in place of meshreel: `launched_rank_program SCENARIO [folder]`.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/catalogue/model_facts.h"
#include "engine/launch/mpirun_helpers.h"
#include "engine/launch/rank_launcher.h"
#include "engine/launch/rank_process.h"
#include "engine/project/project_file.h"
#include "engine/runs/rank_work.h"
#include "engine/runs/run_folder.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;

/// One byte around all ranks, again and again, until somebody gives up.
[[noreturn]] void turn(MpiSession& session, const StopToken& stop, const std::function<void(int)>& atRound) {
    session.setDevices(session.ranks(), 60s);
    const int self = session.rank();
    const int next = (self + 1) % session.ranks();
    const int previous = (self + session.ranks() - 1) % session.ranks();
    for (int round = 0;; ++round) {
        std::byte out{};
        std::byte in{};
        const auto transfer =
            session.start(self, std::array{Send{next, {&out, 1}}}, std::array{Receive{previous, {&in, 1}}});
        atRound(round);
        throwIfStopped(stop);
        transfer->wait();
        if (self == 0 && round == 2) {
            fmt::print("turning\n");
            std::fflush(stdout);
        }
        std::this_thread::sleep_for(2ms);
    }
}

/// The model arrives under its own names, bit for bit; the checkpoint opens as from a disk.
void receiveModel(MpiSession& session, const std::string& folder) {
    const BroadcastModel model(session, session.rank() == 0 ? folder : "/nowhere",
                               BroadcastModel::Copies::OnePerRank);
    if ((model.folder() == folder) != (session.rank() == 0))
        throw Error(ErrorKind::Internal, "the folder is another one", model.folder().string());
    const Checkpoint received = Checkpoint::open(model.folder() / "transformer");
    const Checkpoint original = Checkpoint::open(std::filesystem::path(folder) / "transformer");
    for (const std::string& name : original.names()) {
        const Tensor was = original.get(name);
        const Tensor is = received.get(name);
        if (is.bytes() != was.bytes() || std::memcmp(is.raw(), was.raw(), was.bytes()) != 0)
            throw Error(ErrorKind::Internal, "a tensor is another one", name);
    }
    static_cast<void>(readModelFacts(model.folder()));
    static_cast<void>(Tokenizer::open(model.folder() / "tokenizer"));
}

int work(MpiSession& session, const std::string& scenario, const std::string& folder) {
    if (scenario == "model") {
        receiveModel(session, folder);
        return 0;
    }
    const int self = session.rank();
    StopSource stop;
    std::optional<CancelInput> cancel;
    if (self == 0 && startedByLauncher())
        cancel.emplace(STDIN_FILENO, [&stop] { stop.request_stop(); });
    std::optional<RunFolder> run;
    if (self == 0 && !folder.empty()) {
        run = RunFolder::create(folder);
        run->write(run_file::project, resolvedYaml({}));
        RunState state;
        state.started = timestampNow();
        run->writeState(state);
    }
    const auto throwAt = [self](int rank, ErrorKind kind, const char* message) {
        return [=](int round) {
            if (self == rank && round == 3)
                throw Error(kind, message);
        };
    };
    const auto dieAt = [self](int rank) {
        return [=](int round) {
            if (self == rank && round == 5)
                static_cast<void>(::raise(SIGKILL));
        };
    };
    const std::map<std::string, std::function<void(int)>> rounds{
        {"turn", [](int) {}},
        {"throw-0", throwAt(0, ErrorKind::Input, "the image is missing")},
        {"throw-1", throwAt(1, ErrorKind::Internal, "thrown on purpose")},
        {"die-0", dieAt(0)},
        {"die-1", dieAt(1)}};
    if (const auto found = rounds.find(scenario); found != rounds.end())
        turn(session, stop.get_token(), found->second);
    if (self == 0)
        fmt::print("first\nranks {}", session.ranks());  // the last line without its end
    else
        fmt::print(stderr, "words of rank {}\n", self);
    return 0;
}

}  // namespace
}  // namespace meshreel

int main(int argc, char** argv) {
    if (const auto code = meshreel::runMpirunHelper(argc, argv))
        return *code;
    return meshreel::runAsRank(meshreel::RankLoad::Unlimited, [&](meshreel::MpiSession& session) {
        return meshreel::work(session, argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
    });
}
