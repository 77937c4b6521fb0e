// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/models/families/model_family.h"
#include "engine/planning/run_plan.h"
#include "engine/project/input_files.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/text/tokenizer.h"

namespace meshreel {

/// Returns the validator: everything that is wrong with a project or worth knowing about it, errors first,
/// each at the key to blame and with the nearest legal values as fixes. What the project says by itself and,
/// where it is good by itself and `model` is not null, what this model cannot make or cannot run on the
/// project's mesh; a task that the model does not do comes with the installed models that do it. Without
/// `ranks` only what holds with any number of processes.
std::vector<Problem> check(const Project& project, const ModelFacts* model = nullptr,
                           std::optional<int> ranks = {});

/// Adds those of more problems whose faults are not among `problems` yet.
void addUnknown(std::vector<Problem>& problems, std::vector<Problem> more);

/// What a project does on a model of a family.
struct TaskChoice {
    WanTask task = WanTask::TextToVideo;
    std::vector<Problem> problems;  ///< contains errors when the model or the inputs are not usable
};

/// Returns the task that the project names or, with `auto`, that its inputs mean.
TaskChoice chooseTask(const Project& project, const ModelFamily& family);

/// Returns whether guidance has a third pass, without the subjects of reference_images.
bool guidesImages(const Project& project, const ModelFamily& family);

/// Returns whether a project on a model of the family could read the key: one that belongs to no task, or to
/// the named task or, with `auto`, to any task that the model does.
bool mayRead(const Project& project, const ModelFamily& family, std::string_view key);

/// Returns what keeps no run from starting but is worth knowing before, each at the key to blame: what the
/// model's files hold, another frame rate than the model's, a curve of another model, more workers than the
/// `cpus` of this process, and memory that is nearly used up.
std::vector<Problem> planWarnings(const RunPlan& plan, int cpus);

/// What the plan's adapters do, at the key that brings them in.
struct AdapterFindings {
    std::vector<Problem> warnings;  ///< keys that fit nothing, and what is not applied
    std::vector<Problem> notes;     ///< on the others: what they change
};
AdapterFindings adapterFindings(const RunPlan& plan);

/// Returns a warning at its key for every prompt of the project that has more tokens than
/// max_sequence_length, and for the negative prompt where guidance reads it: how many it has, how many are
/// used, and where it is cut.
std::vector<Problem> cutPrompts(const Project& project, const Tokenizer& tokenizer);

/// cutPrompts() with the tokenizer in a model's folder, which is read once, and only for prompts that are
/// long enough to be cut. May be asked by several threads.
class PromptLengths {
  public:
    /// cutPrompts(); nothing when the folder holds no tokenizer that can be read.
    [[nodiscard]] std::vector<Problem> warnings(const Project& project,
                                                const std::filesystem::path& modelFolder);

  private:
    struct Opened {
        std::filesystem::file_time_type written;
        std::shared_ptr<const Tokenizer> tokenizer;
    };

    std::shared_ptr<const Tokenizer> open(const std::filesystem::path& folder);

    std::mutex m_mutex;
    std::map<std::filesystem::path, Opened> m_opened;
};

/// More devices than one of so many processes, on so many CPUs, is asked to carry (deviceOverload()), with
/// the keys that make them fewer.
std::vector<Problem> loadProblems(const Project& project, int ranks, int cpus);

/// Returns what check() finds on the project's model if it is installed, and what its adapters lack. Leaves a
/// model that is not, or that cannot be used, to makePlan().
std::vector<Problem> problemsOnInstalledModel(const Project& project, std::optional<int> ranks = {});

/// Reports that the project's model is not on this machine, or cannot be used as it is, and how to get it: an
/// error, or a warning for a released one, for which a plan can be made. Leaves a model of single files to
/// makePlan().
std::vector<Problem> missingModelProblems(const Project& project);

/// Returns why a model cannot be used, as an error at the key that names it, with the file and tensor at
/// fault.
Problem problemOfModel(const Error& refused);

/// Returns what each of the project's adapters does to the weights of its model, as describeAdapter() says
/// it; nothing when the model is not installed or cannot be used.
std::vector<std::string> adapterDescriptions(const Project& project);

}  // namespace meshreel
