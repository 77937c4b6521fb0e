// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/project/project_problem.h"

namespace meshreel {

struct YamlNode;

/// Which of a model's transformers something is meant for.
enum class ExpertChoice { All, High, Low };

/// "all", "high", "low".
std::string_view nameOf(ExpertChoice expert);

/// An adapter (LoRA) that a project names.
struct LoraChoice {
    std::string file;  ///< path, or its name in a folder "loras" of the models folder
    double strength = 1.0;
    ExpertChoice expert = ExpertChoice::All;  ///< of Wan 2.2's two transformers

    friend bool operator==(const LoraChoice&, const LoraChoice&) = default;
};

/// They are added up, so the order does not matter to the result beyond rounding.
using LoraList = std::vector<LoraChoice>;

/// As a list in brackets on one line: [{file: a.safetensors, strength: 0.7, expert: high}].
std::string loraText(const LoraList& adapters);

/// Reads a list of maps (file, strength, expert), of which one with only a file may be that file's path, and
/// a list of one may be without its list. A problem has the line of what is wrong, and no key.
std::variant<LoraList, ProjectProblem> readLora(const YamlNode& node);

/// The same from MaxDiffusion's `lora_config`: lists of one length by their names.
std::variant<LoraList, ProjectProblem> readLoraConfig(const YamlNode& node);

}  // namespace meshreel
