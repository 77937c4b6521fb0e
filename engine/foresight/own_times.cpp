// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/own_times.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/context_split.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/project/project_settings.h"
#include "engine/project/yaml.h"

namespace meshreel {

namespace {

MeshShape askedShape(const Project& project, int devices) {
    Project asked = project;
    if (devices > 0)
        asked.devices = devices;
    const auto layout = resolveMesh(meshRequest(asked, 1));
    if (const auto* fault = std::get_if<Problem>(&layout))
        throw Error(ErrorKind::Project, *fault);
    return std::get<MeshLayout>(layout).shape();
}

bool isGuided(const Project& project) {
    return project.guidanceScale > 1 || project.guidanceScaleHigh > 1 || project.guidanceScaleLow > 1;
}

/// "Wan2.2-T2V-A14B" of "Wan-AI/Wan2.2-T2V-A14B-Diffusers".
std::string plainModelName(const Project& project) {
    std::string name = std::filesystem::path(project.model).filename().string();
    constexpr std::string_view layout = "-Diffusers";
    if (name.ends_with(layout))
        name.resize(name.size() - layout.size());
    return name;
}

}  // namespace

std::vector<PublishedTime> ownTimeRows(const Project& project, int devices, const OwnTimes& times,
                                       const HardwareProfile& hardware, const std::string& program) {
    if (isWindowed(project))
        return {};  // a published row knows no windows
    const MeshShape shape = askedShape(project, devices);
    const AttentionSettings attention = attentionSettings(project);
    const bool gathers = attention.mode->exchange == Exchange::Gather;
    const ContextSplit split = gathers ? ContextSplit{} : contextSplit(attention, shape.context);
    PublishedTime row;
    row.framework = program;
    row.model = plainModelName(project);
    row.task = project.image.empty() ? "t2v" : "i2v";
    row.hardware = hardware.publishedAs.front();
    row.devices = shape.devices();
    row.data = shape.data;
    row.context = shape.context;
    row.ring = split.ring;
    row.ulysses = split.ulysses;
    row.tensor = shape.tensor;
    row.otherParallel = shape.fsdp > 1 ? fmt::format("fsdp {}", shape.fsdp) : std::string();
    row.width = project.width;
    row.height = project.height;
    row.frames = project.numFrames;
    row.steps = project.numInferenceSteps;
    row.batch = 1;
    row.numberType = "bf16";
    row.attention = attention.mode->name;
    row.blockQ = project.blockQ;
    row.blockKv = project.blockKv;
    row.forwards = isGuided(project) ? 2 : 1;
    row.source = times.name;
    row.use = "fit";
    std::vector<PublishedTime> rows;
    const auto add = [&](std::string_view metric, double seconds) {
        if (!(seconds > 0))
            return;
        row.id = fmt::format("{} {}", times.name, metric);
        row.metric = metric;
        row.seconds = seconds;
        rows.push_back(row);
    };
    if (times.timings) {
        add("e2e", times.timings->inference);
        if (times.timings->hasTrace) {
            add("conditioning", times.timings->conditioning);
            add("denoise", times.timings->denoiseTotal);
            add("vae_decode", times.timings->vaeDecode);
        }
    }
    if (times.stepSeconds)
        add("s_per_step", *times.stepSeconds);
    return rows;
}

void writeFittedProfile(const std::filesystem::path& file, const HardwareProfile& base,
                        const std::vector<PublishedTime>& rows) {
    if (file.extension() != ".yaml")
        throw Error(ErrorKind::Project, sentence("A hardware profile is a file that ends in .yaml"),
                    file.string(), sentence("Write -o my-hardware.yaml"));
    const std::filesystem::path table = std::filesystem::path(file).replace_extension(".csv");
    std::string text = readFile(base.file);
    if (base.efficienciesOf == base.id)
        text += fmt::format("efficiencies_of: {}\n", yamlScalar(base.id));
    if (base.measured.empty())
        text += fmt::format("measured: {}\n", yamlQuoted(table.filename().string()));
    else
        throw Error(ErrorKind::Project, sentence("{} has measured times already", base.file.string()),
                    "--hardware",
                    sentence("Fit the profile that it was made of, {}, with all runs", base.efficienciesOf));
    writeFileAtomically(table, publishedTimesCsv(rows));
    writeFileAtomically(file, text);
}

}  // namespace meshreel
