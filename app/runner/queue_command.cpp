// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/project/project.h"
#include "engine/queue/queue_file.h"
#include "engine/queue/queued_run.h"
#include "engine/queue/run_list.h"
#include "engine/queue/shared_queue.h"
#include "engine/runs/run_history.h"

namespace meshreel {
namespace {

struct QueueArguments {
    ProjectArguments project;
    std::vector<std::string> ids;
    bool json = false;
};

nlohmann::ordered_json runJson(const QueuedRun& run) {
    return {{"id", run.id},
            {"state", std::string(nameOf(run.state))},
            {"name", run.project.name},
            {"prompt", run.project.prompt},
            {"folder", run.folder},
            {"remark", run.remark},
            {"added", run.added / 1000},
            {"ended", run.ended},
            {"of_client", run.isOfClient}};
}

void printRuns(const std::vector<QueuedRun>& runs, bool json) {
    if (json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const QueuedRun& run : runs)
            list.push_back(runJson(run));
        say("{}\n", list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
        return;
    }
    for (const QueuedRun& run : runs) {
        const Project& project = run.project;
        say("{}  {:<9}  {}\n", run.id, nameOf(run.state),
            project.prompt.empty() ? project.name : project.prompt);
        if (!run.remark.empty())
            say("{:>26}{}\n", "", run.remark);
        if (!run.folder.empty())
            say("{:>26}{}\n", "", withTilde(run.folder));
    }
    if (runs.empty())
        say("The queue is empty\n");
}

/// Prints on stderr what of the queue could not be read.
void sayWhatIsLost(const SharedQueue& queue) {
    if (const std::optional<QueueDamage> damage = queue.damage())
        say(stderr, "the queue could not be read whole; it was set aside as {}\n", withTilde(damage->aside));
}

/// Returns the run that an id means, or its beginning. Throws Error{Project} for that of none or several.
const QueuedRun& runNamed(const std::vector<QueuedRun>& runs, const std::string& id) {
    const auto isMeant = [&id](const QueuedRun& run) { return !id.empty() && run.id.starts_with(id); };
    const auto found = std::ranges::find_if(runs, isMeant);
    if (found == runs.end())
        throw Error(ErrorKind::Project, "the queue has no run of this id", id,
                    "meshreel queue list names all");
    if (std::ranges::count_if(runs, isMeant) > 1)
        throw Error(ErrorKind::Project, "several runs of the queue begin like that", id,
                    "Give more of the id");
    return *found;
}

/// Throws Error{Project} for a run that a program works on now.
const QueuedRun& restingRun(const std::vector<QueuedRun>& runs, const std::string& id) {
    const QueuedRun& run = runNamed(runs, id);
    if (run.state == QueuedRun::State::Running)
        throw Error(ErrorKind::Project, "the run is running", run.id,
                    "Cancel it where it runs: in the Studio, or by DELETE at meshreel serve");
    return run;
}

int listQueue(QueueArguments& arguments) {
    SharedQueue queue(queueFile());
    const RunList list = queue.open();  // what a program that was killed ran waits again
    sayWhatIsLost(queue);
    printRuns(list.runs(), arguments.json);
    return 0;
}

int addToQueue(QueueArguments& arguments) {
    const ExaminedProject examined = loadExamined(arguments.project,
                                                  {.basis = readBasisHere(),
                                                   .oversubscribe = arguments.project.overrides.oversubscribe,
                                                   .runsFolder = runsFolder()},
                                                  ModelNeed::Weights);
    const QueuedRun run = queuedNow(examined.loaded.project);
    SharedQueue queue(queueFile());
    queue.change([&run](RunList& list) { list.add({run}); });
    sayWhatIsLost(queue);
    if (arguments.json)
        printRuns({run}, true);
    else
        say("Queued as {}; meshreel serve and the Studio work off the queue\n", run.id);
    return 0;
}

int removeFromQueue(QueueArguments& arguments) {
    SharedQueue queue(queueFile());
    queue.open();
    std::vector<QueuedRun> removed;
    queue.change([&](RunList& list) {
        RunList::Ids ids;
        for (const std::string& id : arguments.ids) {
            const QueuedRun& run = restingRun(list.runs(), id);
            ids.push_back(run.id);
            removed.push_back(run);
        }
        list.remove(ids);
    });
    if (arguments.json)
        printRuns(removed, true);
    else
        say("Removed {}; folders of runs stay\n", removed.size());
    return 0;
}

int retryInQueue(QueueArguments& arguments) {
    SharedQueue queue(queueFile());
    queue.open();
    std::vector<QueuedRun> waiting;
    queue.change([&](RunList& list) {
        RunList::Ids ids;
        for (const std::string& id : arguments.ids)
            ids.push_back(restingRun(list.runs(), id).id);
        list.retry(ids);
        for (const std::string& id : ids)
            waiting.push_back(*list.find(id));
    });
    if (arguments.json)
        printRuns(waiting, true);
    else
        say("{} waiting again\n", waiting.size());
    return 0;
}

struct QueueAction {
    const char* name;
    const char* help;
    void (*declare)(CLI::App& command, QueueArguments& arguments);
    int (*run)(QueueArguments& arguments);
};

void declareNothing(CLI::App& /*command*/, QueueArguments& /*arguments*/) {}

void declareProject(CLI::App& command, QueueArguments& arguments) {
    addProjectArguments(command, arguments.project, ProjectRequired::Yes);
}

void declareIds(CLI::App& command, QueueArguments& arguments) {
    command.add_option("ID", arguments.ids, "Runs, by their ids or the beginnings of them")
        ->type_name("")
        ->required();
}

constexpr std::array queueActions{
    QueueAction{"list", "Print the runs of the queue, in their order", declareNothing, listQueue},
    QueueAction{"add", "Add a project behind the runs that wait", declareProject, addToQueue},
    QueueAction{"remove", "Take runs off the queue; their folders stay", declareIds, removeFromQueue},
    QueueAction{"retry", "Let runs that have ended wait again, from their beginnings", declareIds,
                retryInQueue},
};

}  // namespace

Action declareQueue(CLI::App& app) {
    const auto arguments = std::make_shared<QueueArguments>();
    app.require_subcommand(1);
    for (const QueueAction& action : queueActions) {
        CLI::App* const command = app.add_subcommand(action.name, action.help);
        action.declare(*command, *arguments);
        command->add_flag("--json", arguments->json, "Print JSON");
    }
    return [arguments, &app] {
        for (const QueueAction& action : queueActions)
            if (app.got_subcommand(action.name))
                return action.run(*arguments);
        return 0;
    };
}

}  // namespace meshreel
