// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/foresight_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/sentence.h"
#include "engine/base/units.h"
#include "engine/foresight/efficiencies.h"
#include "engine/timing/verdict.h"

namespace meshreel {
namespace {

using nlohmann::ordered_json;

ordered_json timeJson(const ForeseenTime& time) {
    return {{"seconds", time.seconds}, {"low", time.low}, {"high", time.high}};
}

ordered_json causesJson(const CaseSeconds& seconds) {
    ordered_json json = ordered_json::object();
    for (const CauseRow& cause : causeRows())
        json[std::string(cause.name)] = seconds.step.*cause.seconds;
    return json;
}

ordered_json axesJson(const AcceleratorMesh& mesh) {
    return {{"data", mesh.data},        {"fsdp", mesh.fsdp}, {"context", mesh.context()},
            {"tensor", mesh.tensor},    {"ring", mesh.ring}, {"ulysses", mesh.ulysses},
            {"gathered", mesh.gathered}};
}

std::string blocksText(const ForeseenMesh& mesh) {
    return mesh.blocks.empty() ? std::string() : fmt::format("{}/{}", mesh.of.blockQ, mesh.of.blockKv);
}

std::string moneyText(const ForeseenMesh& mesh, const ForesightView& view) {
    return view.price ? fmt::format("{:.3g}", mesh.money(*view.price)) : std::string();
}

/// The largest cause apart from the products that any mesh has; then how even heads are that are not.
std::string dearestExtra(const ForeseenMesh& mesh) {
    const CauseRow* dearest = nullptr;
    for (const CauseRow& cause : causeRows())
        if (cause.seconds != &StepCauses::matrix && cause.seconds != &StepCauses::attention &&
            (dearest == nullptr || mesh.seconds.step.*cause.seconds > mesh.seconds.step.*dearest->seconds))
            dearest = &cause;
    const double share = mesh.seconds.step.*dearest->seconds / mesh.seconds.step.total();
    std::string text;
    if (share >= 0.01)
        text = fmt::format("{} {:.0f} %", dearest->title, 100 * share);
    if (const double even = headEfficiency(mesh.of); even < 1)
        text += fmt::format("{}heads even to {:.0f} %", text.empty() ? "" : ", ", 100 * even);
    return text;
}

std::string memoryText(const ForeseenMesh& mesh) {
    return fmt::format("{:.0f} of {:.0f} GiB{}", mesh.memory.total() / gibibyte,
                       mesh.of.hardware->memory / gibibyte, mesh.fits() ? "" : ": does not fit");
}

std::string titleLine(const MeshForesight& meshes, int devices, const AcceleratorCase& of) {
    return fmt::format("{} x {}, {}: efficiencies from {}", devices, of.hardware->title, of.program->name,
                       nameOf(meshes.basis));
}

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return lower;
}

/// One of each reason: the same heads are refused by several modes.
std::set<std::string> refusalReasons(const MeshForesight& meshes) {
    std::set<std::string> reasons;
    for (const RefusedMesh& refused : meshes.refused)
        reasons.insert(refused.why.text());
    return reasons;
}

/// "The project's own: dp1-cp4-U2R2, ulysses_ring, 5.43 s a step (4.9 to 6.1). The best: Faster: …".
std::string ownLine(const ForeseenMesh& own, const MeshForesight& meshes) {
    std::string text =
        fmt::format("  * The project's own: {}, {}, {:.4g} s a step ({:.3g} to {:.3g}).", own.of.mesh.label(),
                    own.mode->name, own.step.seconds, own.step.low, own.step.high);
    const ForeseenMesh* best = meshes.best();
    if (best != nullptr && !areSame(own, *best))
        text += fmt::format(" The best here: {}.", verdictSentence(judgeSteps(own, *best)));
    return text + "\n";
}

}  // namespace

ordered_json foreseenMeshJson(const ForeseenMesh& mesh, const ForesightView& view) {
    ordered_json blocks = ordered_json::array();
    for (const ForeseenBlocks& pair : mesh.blocks)
        blocks.push_back(
            {{"block_q", pair.blocks.q}, {"block_kv", pair.blocks.kv}, {"step_seconds", pair.stepSeconds}});
    ordered_json json{{"mesh", mesh.of.mesh.label()},
                      {"axes", axesJson(mesh.of.mesh)},
                      {"attention", mesh.mode->name},
                      {"kernel", mesh.of.kernel->name},
                      {"head_efficiency", headEfficiency(mesh.of)},
                      {"block_q", mesh.of.blockQ},
                      {"block_kv", mesh.of.blockKv},
                      {"step", timeJson(mesh.step)},
                      {"clip", timeJson(mesh.clip)},
                      {"causes", causesJson(mesh.seconds)},
                      {"memory_bytes", mesh.memory.total()},
                      {"fits", mesh.fits()},
                      {"money", view.price ? ordered_json(mesh.money(*view.price)) : ordered_json(nullptr)},
                      {"blocks", blocks}};
    if (view.own != nullptr)
        json["verdict"] = verdictSentence(judgeSteps(*view.own, mesh)).text();
    return json;
}

std::string describeMeshForesight(const MeshForesight& meshes, int devices, const AcceleratorCase& of,
                                  const ForesightView& view) {
    std::string text = titleLine(meshes, devices, of) + "\n";
    text +=
        fmt::format("  {:<25} {:<28}{:<11}{:>8}  {:<16}{:>8}  {:<31} {}{}\n", "mesh", "attention", "blocks",
                    "s/step", "range", "clip s", "memory", view.price ? "money  " : "", "largest overhead");
    for (std::size_t index = 0; index < std::min(view.most, meshes.meshes.size()); ++index) {
        const ForeseenMesh& mesh = meshes.meshes[index];
        text += fmt::format("{} {:<25} {:<28}{:<11}{:>8.4g}  {:<16}{:>8.4g}  {:<31} {}{}\n",
                            view.own != nullptr && areSame(*view.own, mesh) ? "*" : " ", mesh.of.mesh.label(),
                            mesh.mode->name, blocksText(mesh), mesh.step.seconds,
                            fmt::format("{:.3g} to {:.3g}", mesh.step.low, mesh.step.high), mesh.clip.seconds,
                            memoryText(mesh), view.price ? fmt::format("{:<7}", moneyText(mesh, view)) : "",
                            dearestExtra(mesh));
    }
    if (meshes.meshes.empty())
        text += "  No legal mesh has so many devices.\n";
    if (meshes.meshes.size() > view.most)
        text +=
            fmt::format("  … and {} more: --json and --csv have all.\n", meshes.meshes.size() - view.most);
    if (view.own != nullptr)
        text += ownLine(*view.own, meshes);
    for (const std::string& reason : refusalReasons(meshes))
        text += fmt::format("  Refused, pure Ulysses: {}.\n", reason);
    return text;
}

std::string meshForesightMarkdown(const MeshForesight& meshes, int devices, const AcceleratorCase& of,
                                  const ForesightView& view) {
    std::string text = titleLine(meshes, devices, of) + "\n\n";
    text += fmt::format(
        "| mesh | attention | blocks | s/step | range | clip s | memory "
        "|{}\n|---|---|---|---|---|---|---|{}\n",
        view.price ? " money |" : "", view.price ? "---|" : "");
    for (std::size_t index = 0; index < std::min(view.most, meshes.meshes.size()); ++index) {
        const ForeseenMesh& mesh = meshes.meshes[index];
        text += fmt::format("| {} | `{}` | {} | {:.4g} | {:.3g} to {:.3g} | {:.4g} | {} |{}\n",
                            mesh.of.mesh.label(), mesh.mode->name, blocksText(mesh), mesh.step.seconds,
                            mesh.step.low, mesh.step.high, mesh.clip.seconds, memoryText(mesh),
                            view.price ? fmt::format(" {} |", moneyText(mesh, view)) : "");
    }
    return text + "\n";
}

std::string meshForesightCsv(const MeshForesight& meshes, const ForesightView& view, bool header) {
    std::string text;
    if (header) {
        text = "devices,mesh,attention,block_q,block_kv,step_s,low_s,high_s,clip_s,memory_bytes,fits,money";
        for (const CauseRow& cause : causeRows())
            text += fmt::format(",{}_s", cause.name);
        text += "\n";
    }
    for (const ForeseenMesh& mesh : meshes.meshes) {
        text += fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.0f},{},{}", mesh.of.mesh.devices(),
                            mesh.of.mesh.label(), mesh.mode->name, mesh.of.blockQ, mesh.of.blockKv,
                            mesh.step.seconds, mesh.step.low, mesh.step.high, mesh.clip.seconds,
                            mesh.memory.total(), mesh.fits(), moneyText(mesh, view));
        for (const CauseRow& cause : causeRows())
            text += fmt::format(",{:.6g}", mesh.seconds.step.*cause.seconds);
        text += "\n";
    }
    return text;
}

ordered_json meshForesightJson(const MeshForesight& meshes, int devices, const ForesightView& view) {
    ordered_json list = ordered_json::array();
    for (const ForeseenMesh& mesh : meshes.meshes)
        list.push_back(foreseenMeshJson(mesh, view));
    ordered_json refused = ordered_json::array();
    for (const RefusedMesh& mesh : meshes.refused)
        refused.push_back({{"mesh", mesh.what}, {"why", mesh.why.text()}});
    return {{"devices", devices}, {"meshes", list}, {"refused", refused}};
}

ordered_json foresightBasisJson(const MeshForesight& meshes, const AcceleratorCase& of) {
    return {{"hardware", of.hardware->id},
            {"title", of.hardware->title},
            {"program", of.program->name},
            {"efficiencies", nameOf(meshes.basis)},
            {"sources", of.hardware->sources}};
}

std::string explainMesh(const ForeseenMesh& mesh, const EfficiencyValues& values) {
    const CaseSeconds& seconds = mesh.seconds;
    const double step = seconds.step.total();
    std::string text = fmt::format("{}, {}, {}\n", mesh.of.mesh.label(), mesh.mode->name, memoryText(mesh));
    text += fmt::format("  a step {:.4g} s ({:.4g} to {:.4g}), a clip {:.4g} s ({:.4g} to {:.4g})\n",
                        mesh.step.seconds, mesh.step.low, mesh.step.high, mesh.clip.seconds, mesh.clip.low,
                        mesh.clip.high);
    text += "\n  seconds of a step\n";
    for (const CauseRow& cause : causeRows())
        if (const double part = seconds.step.*cause.seconds; part > 0)
            text += fmt::format("    {:<34}{:>8.3f}{:>5.0f} %\n", cause.title, part, 100 * part / step);
    text += fmt::format("\n  a clip: conditioning {:.3g} s, denoising {:.4g} s, decoding {:.3g} s",
                        seconds.conditioning, seconds.denoise, seconds.decode);
    text +=
        seconds.transfers > 0 ? fmt::format(", weights from the host {:.3g} s\n", seconds.transfers) : "\n";
    text += fmt::format(
        "  the kernel takes {:.2f} ms of a layer{}", millisecondsPerSecond * seconds.kernelPerHop,
        mesh.of.mesh.ring > 1
            ? fmt::format(" and hop, the hop {:.2f} ms\n", millisecondsPerSecond * seconds.transferPerHop)
            : "\n");
    text += fmt::format(
        "  efficiencies: linear layers {:.0f} % of the peak, attention {:.0f} % of what the depth of the "
        "matrix unit leaves of it, "
        "links {:.0f} %\n",
        100 * values.linear, 100 * values.attention, 100 * values.link);
    if (!mesh.blocks.empty()) {
        text += "\n  block sizes\n";
        for (const ForeseenBlocks& pair : mesh.blocks)
            text +=
                fmt::format("    {:>6} x {:<6}{:>8.3f} s\n", pair.blocks.q, pair.blocks.kv, pair.stepSeconds);
    }
    if (const std::vector<ForeseenChunks> chunks = foreseeChunks(mesh, values); chunks.size() > 1) {
        text += "\n  chunks of heads\n";
        for (const ForeseenChunks& tried : chunks)
            text += fmt::format("    {:>6} {:>17.3f} s\n", tried.chunks, tried.stepSeconds);
    }
    text += "\n  to be faster\n";
    for (const Sentence& advice : adviceFor(mesh))
        text += fmt::format("    {}.\n", advice);
    return text;
}

ordered_json explanationJson(const ForeseenMesh& mesh, const EfficiencyValues& values) {
    ordered_json json = foreseenMeshJson(mesh);
    json["stages"] = {{"conditioning", mesh.seconds.conditioning},
                      {"denoise", mesh.seconds.denoise},
                      {"decode", mesh.seconds.decode},
                      {"transfers", mesh.seconds.transfers}};
    json["kernel_per_hop"] = mesh.seconds.kernelPerHop;
    json["transfer_per_hop"] = mesh.seconds.transferPerHop;
    json["shares_of_peak"] = {
        {"linear", values.linear}, {"attention", values.attention}, {"link", values.link}};
    json["chunks"] = ordered_json::array();
    for (const ForeseenChunks& tried : foreseeChunks(mesh, values))
        json["chunks"].push_back({{"chunks", tried.chunks}, {"step_s", tried.stepSeconds}});
    json["advice"] = ordered_json::array();
    for (const Sentence& advice : adviceFor(mesh))
        json["advice"].push_back(advice.text());
    return json;
}

const ForeseenMesh& requireMesh(const MeshForesight& meshes, std::string_view label) {
    const std::size_t split = label.find_first_of(" /");
    const std::string wanted = lowerCase(label.substr(0, split));
    const std::string_view mode =
        split == std::string_view::npos ? std::string_view() : label.substr(split + 1);
    std::vector<Sentence> labels;
    std::set<std::string> named;
    for (const ForeseenMesh& mesh : meshes.meshes) {
        const std::string own = mesh.of.mesh.label();
        if (lowerCase(own) == wanted && (mode.empty() || mesh.mode->name == mode))
            return mesh;
        if (named.insert(own).second && labels.size() < 8)
            labels.emplace_back(own);
    }
    throw Error(ErrorKind::Project, sentence("No legal mesh is called {}", label), "--explain",
                sentence("The best are {}; a mode may follow behind a slash", commaList(labels)));
}

std::string describeScaling(std::span<const ForeseenScaling> points, const ForesightView& view) {
    std::string text =
        fmt::format("{:>8}  {:<25} {:<28}{:>9}{:>10}{:>12}  {}{}\n", "devices", "mesh", "attention", "s/step",
                    "clip s", "efficiency", view.price ? "money   " : "", "what breaks");
    for (const ForeseenScaling& point : points)
        text += point.best
                    ? fmt::format("{:>8}  {:<25} {:<28}{:>9.4g}{:>10.4g}{:>11.0f}%  {}{}\n", point.devices,
                                  point.best->of.mesh.label(), point.best->mode->name,
                                  point.best->step.seconds, point.best->clip.seconds, 100 * point.efficiency,
                                  view.price ? fmt::format("{:<8}", moneyText(*point.best, view)) : "",
                                  point.limit)
                    : fmt::format("{:>8}  {}\n", point.devices, point.limit);
    return text;
}

std::string scalingMarkdown(std::span<const ForeseenScaling> points, const ForesightView& view) {
    std::string text = fmt::format(
        "| devices | mesh | attention | s/step | clip s | efficiency |{} what breaks |\n"
        "|---|---|---|---|---|---|{}---|\n",
        view.price ? " money |" : "", view.price ? "---|" : "");
    for (const ForeseenScaling& point : points)
        text += point.best
                    ? fmt::format("| {} | {} | `{}` | {:.4g} | {:.4g} | {:.0f} % |{} {} |\n", point.devices,
                                  point.best->of.mesh.label(), point.best->mode->name,
                                  point.best->step.seconds, point.best->clip.seconds, 100 * point.efficiency,
                                  view.price ? fmt::format(" {} |", moneyText(*point.best, view)) : "",
                                  point.limit)
                    : fmt::format("| {} | | | | | |{} {} |\n", point.devices, view.price ? " |" : "",
                                  point.limit);
    return text;
}

std::string scalingCsv(std::span<const ForeseenScaling> points, const ForesightView& view) {
    std::string text = "devices,mesh,attention,step_s,clip_s,efficiency,money,limit\n";
    for (const ForeseenScaling& point : points)
        text += point.best ? fmt::format("{},{},{},{:.6g},{:.6g},{:.4f},{},{}\n", point.devices,
                                         point.best->of.mesh.label(), point.best->mode->name,
                                         point.best->step.seconds, point.best->clip.seconds, point.efficiency,
                                         moneyText(*point.best, view), csvField(point.limit.text()))
                           : fmt::format("{},,,,,,,{}\n", point.devices, csvField(point.limit.text()));
    return text;
}

ordered_json scalingJson(std::span<const ForeseenScaling> points, const ForesightView& view) {
    ordered_json json = ordered_json::array();
    for (const ForeseenScaling& point : points)
        json.push_back(
            {{"devices", point.devices},
             {"best", point.best ? foreseenMeshJson(*point.best, view) : ordered_json(nullptr)},
             {"efficiency", point.best ? ordered_json(point.efficiency) : ordered_json(nullptr)},
             {"limit", point.limit.empty() ? ordered_json(nullptr) : ordered_json(point.limit.text())}});
    return json;
}

}  // namespace meshreel
