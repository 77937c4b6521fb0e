// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/host_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "engine/base/child_output.h"
#include "engine/base/child_process.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "engine/base/numbers.h"
#include "engine/base/record_json.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/launch/remote_shell.h"
#include "engine/planning/run_plan.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/project_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

constexpr auto answerPollInterval = 20ms;
constexpr int notFound = 127;  // what shells end with when they find no program
constexpr int notExecutable = 126;

double secondsNow() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// What a pipe still holds.
ChildText takeText(int descriptor) {
    ChildText text;
    text.drain(descriptor);
    return text;
}

/// A command on a host; what it reads is written to it at once.
class HostCommand {
  public:
    HostCommand(const Host& host, const std::string& command, std::string_view input) {
        std::vector<std::string> line{"sh", "-c", command};
        if (!isThisMachine(host.name)) {
            line = remoteShell();
            line.insert(line.end(), {host.name, command});
        }
        m_child = std::make_unique<ChildProcess>(line);
        m_child->write(input);
    }

    [[nodiscard]] bool ended() {
        if (!m_status && (m_status = m_child->poll()))
            m_endedAt = secondsNow();
        return m_status.has_value();
    }

    [[nodiscard]] std::optional<int> status() const { return m_status; }
    [[nodiscard]] double endedAt() const { return m_endedAt; }
    [[nodiscard]] std::string said() const { return excerpt(takeText(m_child->out()).lastLine(), 200); }
    [[nodiscard]] std::string output() const { return takeText(m_child->out()).text(); }
    [[nodiscard]] std::string complaint() const { return excerpt(takeText(m_child->err()).lastLine(), 200); }

  private:
    std::unique_ptr<ChildProcess> m_child;
    std::optional<int> m_status;
    double m_endedAt = 0;
};

void waitForAll(std::vector<HostCommand>& commands) {
    const auto deadline = std::chrono::steady_clock::now() + hostPatience();  // hashes of a model are made
    while (std::ranges::count_if(commands, [](HostCommand& command) { return !command.ended(); }) > 0 &&
           std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(answerPollInterval);
}

/// Ends every document: the input of a command has no other end that it sees.
constexpr std::string_view endOfProject = "\n...\n";

void take(const HostCommand& command, HostAnswer& answer) {
    if (!command.status()) {
        answer.silence = sentence("it does not answer");
        return;
    }
    std::istringstream lines(command.output());
    for (std::string line; std::getline(lines, line);)
        if (auto facts = parseHostFacts(line))
            answer.facts = std::move(facts);
    if (answer.facts) {
        answer.clockAhead = answer.facts->clock - command.endedAt();
        return;
    }
    const std::string said = command.complaint();
    answer.programMissing = *command.status() == notFound || *command.status() == notExecutable;
    if (answer.programMissing)
        answer.silence = sentence("the program is not there");
    else
        answer.silence = said.empty() ? sentence("it cannot be reached") : Sentence(said);
}

void ask(std::span<HostAnswer> answers, const std::string& question, const std::string& input) {
    std::vector<HostCommand> commands;
    for (const HostAnswer& answer : answers)
        commands.emplace_back(answer.host, question, input);
    waitForAll(commands);
    for (std::size_t index = 0; index < answers.size(); ++index)
        take(commands[index], answers[index]);
}

/// Copies `program` to its place on the host; returns whether the host took it.
bool sendProgram(const Host& host, const fs::path& program) {
    const std::string bytes = readFile(program, Limit::Program);
    const std::string place = quotedWord(program.string());
    const std::string part = quotedWord(program.string() + ".part");
    std::vector<HostCommand> command;
    command.emplace_back(
        host,
        fmt::format("mkdir -p {} && head -c {} > {} && chmod 755 {} && mv {} {}",
                    quotedWord(program.parent_path().string()), bytes.size(), part, part, part, place),
        bytes);
    waitForAll(command);
    return command.front().status() == 0;
}

/// How a host's model compares with that of the first.
Sentence compareModel(const HostFacts& first, const HostFacts& facts) {
    if (!facts.modelProblem.empty())
        return facts.modelProblem;
    for (const SourceFile& file : first.model)
        if (std::ranges::find(facts.model, file) == facts.model.end())
            return sentence("{} of {} differs or is missing", file.name, file.part);
    return {};
}

const HostFacts* factsOfFirst(std::span<const HostAnswer> answers) {
    return answers.empty() || !answers.front().facts ? nullptr : &*answers.front().facts;
}

}  // namespace

HostFacts thisHostFacts(const Project& project) {
    HostFacts facts{.program = thisRankIdentity(),
                    .cpu = cpuModelName(),
                    .cpus = availableCpus(),
                    .freeMemory = static_cast<double>(availableMemory())};
    Project onCpu = project;
    onCpu.gpus = GpuChoice::none();  // the model's files are the same, and who takes which GPU is not known
    try {
        facts.model = modelSources(*makePlan(onCpu, {.oversubscribe = true}), {});
    } catch (const Error& problem) {
        facts.modelProblem = problem.message();
    }
    facts.clock = secondsNow();
    return facts;
}

std::string hostFactsLine(const HostFacts& facts) {
    nlohmann::json json{
        {"program", encodeIdentity(facts.program)}, {"cpu", facts.cpu},     {"cpus", facts.cpus},
        {"memory_free", facts.freeMemory},          {"clock", facts.clock}, {"model", facts.model}};
    putSentence(json, "model_problem", facts.modelProblem);
    return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::optional<HostFacts> parseHostFacts(const std::string& line) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object())
        return std::nullopt;
    try {
        return HostFacts{.program = decodeIdentity(json.at("program").get<std::string>()),
                         .cpu = json.at("cpu").get<std::string>(),
                         .cpus = json.at("cpus").get<int>(),
                         .freeMemory = json.at("memory_free").get<double>(),
                         .clock = json.at("clock").get<double>(),
                         .model = json.at("model").get<std::vector<SourceFile>>(),
                         .modelProblem = sentenceAt(json, "model_problem")};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

std::vector<HostAnswer> askHosts(std::span<const Host> hosts, const Project& project, const fs::path& program,
                                 ProgramCopies copies) {
    std::vector<HostAnswer> answers;
    for (const Host& host : hosts)
        answers.push_back({.host = host});
    const std::string question = quotedWord(program.string()) + " devices --of-host";
    const std::string input = resolvedYaml(project) + std::string(endOfProject);
    ask(answers, question, input);
    if (copies == ProgramCopies::Never)
        return answers;
    for (HostAnswer& answer : answers)
        if (answer.programMissing && sendProgram(answer.host, program)) {
            answer = {.host = answer.host, .programSent = true};
            ask(std::span(&answer, 1), question, input);
        }
    return answers;
}

DataTable hostTable(std::span<const HostAnswer> answers) {
    DataTable table{.columns = {"host", "ranks", "program", "cpu", "cpus", "isa", "free_gib", "clock_s",
                                "model", "answer"},
                    .rows = {}};
    const HostFacts* first = factsOfFirst(answers);
    for (const HostAnswer& answer : answers) {
        std::vector<DataCell> row{answer.host.name, std::int64_t{answer.host.ranks}};
        if (answer.facts) {
            const HostFacts& facts = *answer.facts;
            const Sentence model = compareModel(first == nullptr ? facts : *first, facts);
            row.insert(row.end(),
                       {facts.program.version, facts.cpu, std::int64_t{facts.cpus}, facts.program.isa,
                        facts.freeMemory / gibibyte, answer.clockAhead, model.empty() ? "ok" : model.text(),
                        std::string(answer.programSent ? "program sent" : "ok")});
        } else {
            row.insert(row.end(), {{}, {}, {}, {}, {}, {}, {}, answer.silence.text()});
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

void requireAlike(std::span<const HostAnswer> answers, const Project& project) {
    std::vector<RankIdentity> programs;
    for (const HostAnswer& answer : answers) {
        if (!answer.facts)
            throw Error(ErrorKind::Device, sentence("{} failed: {}", answer.host.name, answer.silence), {},
                        answer.programMissing
                            ? sentence("Install Meshreel at the same path there, or let --broadcast-program "
                                       "send it")
                            : Sentence());
        programs.push_back(answer.facts->program);
    }
    requireSameProgram(programs);
    if (project.broadcastWeights)
        return;
    for (const HostAnswer& answer : answers)
        if (const Sentence difference = compareModel(*answers.front().facts, *answer.facts);
            !difference.empty())
            throw Error(ErrorKind::Input,
                        sentence("the model on {} is not that of {}: {}", answer.host.name,
                                 answers.front().host.name, difference),
                        {}, sentence("Copy rank 0's model to this host, or set broadcast_weights: true"));
}

}  // namespace meshreel
