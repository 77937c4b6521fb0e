// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/key_choices.h"

#include <algorithm>
#include <iterator>

#include "engine/attention/attention_mode.h"
#include "engine/media/video_format.h"
#include "engine/models/families/model_family.h"
#include "engine/project/sampling_preset.h"
#include "engine/sampling/random/noise.h"
#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {
namespace {

template <typename Rows>
std::vector<Choice> choicesFrom(const Rows& rows) {
    std::vector<Choice> choices;
    for (const auto& row : rows)
        choices.push_back({row.name, row.help});
    return choices;
}

}  // namespace

std::vector<Choice> attentionChoices() {
    return choicesFrom(attentionModes());
}
std::vector<Choice> noiseChoices() {
    return choicesFrom(noiseKinds());
}
std::vector<Choice> formatChoices() {
    return choicesFrom(videoFormats());
}

std::vector<Choice> presetChoices() {
    return choicesFrom(samplingPresets());
}

std::vector<Choice> schedulerChoices() {
    std::vector<Choice> choices = {{checkpointScheduler, "The scheduler that the checkpoint names."}};
    std::ranges::copy(choicesFrom(schedulerKinds()), std::back_inserter(choices));
    return choices;
}

std::vector<Choice> taskChoices() {
    std::vector<Choice> choices = {{automaticTask, "What the model does with the inputs that are given."}};
    std::ranges::copy(choicesFrom(wanTasks()), std::back_inserter(choices));
    return choices;
}

std::vector<Choice> dtypeChoices() {
    return {{"float32", "32-bit floating point."},
            {"bfloat16", "16-bit floating point with the exponent of float32."}};
}

std::vector<Choice> weightsDtypeChoices() {
    std::vector<Choice> choices = dtypeChoices();
    choices.push_back(
        {"int8", "8-bit integers with a scale for each output; inputs are rounded to 8 bits too."});
    return choices;
}

}  // namespace meshreel
