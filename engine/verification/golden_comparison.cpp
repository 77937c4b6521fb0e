// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/golden_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/verification/chain_cases.h"
#include "engine/verification/control_cases.h"
#include "engine/verification/driving_cases.h"
#include "engine/verification/finish_cases.h"
#include "engine/verification/guidance_cases.h"
#include "engine/verification/keyframe_cases.h"
#include "engine/verification/name_cases.h"
#include "engine/verification/network_cases.h"
#include "engine/verification/pipeline_case.h"
#include "engine/verification/pipeline_input_cases.h"
#include "engine/verification/prompt_relay_cases.h"
#include "engine/verification/random_cases.h"
#include "engine/verification/resize_cases.h"
#include "engine/verification/scheduler_cases.h"
#include "engine/verification/size_cases.h"
#include "engine/verification/sound_cases.h"
#include "engine/verification/source_cases.h"
#include "engine/verification/step_cache_cases.h"
#include "engine/verification/tokenizer_cases.h"
#include "engine/verification/window_cases.h"

namespace meshreel {

namespace {

bool decides(const GoldenRow& row) {
    return !row.informational;
}

std::string_view verdict(const GoldenRow& row) {
    if (!decides(row))
        return "info";
    return row.passed ? "ok" : "FAIL";
}

}  // namespace

bool GoldenReport::passed() const {
    return std::ranges::any_of(rows, decides) &&
           std::ranges::all_of(rows, [](const GoldenRow& row) { return !decides(row) || row.passed; });
}

std::string formatReport(const GoldenReport& report) {
    std::size_t width = std::string_view("output").size();
    for (const GoldenRow& row : report.rows)
        width = std::max(width, row.output.size());

    std::string text = fmt::format("{}: kind {}{}\n", report.folder.string(), report.kind,
                                   report.className.empty() ? "" : ", class " + report.className);
    text += fmt::format("  {:<{}}  {:>12}  {:>12}\n", "output", width, "max abs err", "allowed");
    for (const GoldenRow& row : report.rows)
        text += fmt::format("  {:<{}}  {:>12.3e}  {:>12.3e}  {}{}\n", row.output, width, row.maxAbsError,
                            row.allowed, verdict(row), row.note.empty() ? "" : "  " + row.note);

    const auto good = [](const GoldenRow& row) { return decides(row) && row.passed; };
    text +=
        fmt::format("{}: {} of {} outputs hold\n", report.passed() ? "PASSED" : "FAILED",
                    std::ranges::count_if(report.rows, good), std::ranges::count_if(report.rows, decides));
    return text;
}

namespace {

/// One kind of golden case: what `kind` in case.json says, and what runs it.
struct GoldenKind {
    std::string_view name;
    void (*verify)(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
};

constexpr std::array<GoldenKind, 39> kinds{{
    {"dit", verifyDit},
    {"dit_nag", verifyDit},
    {"nag", verifyAttentionGuidance},
    {"vae", verifyVae},
    {"umt5", verifyUmt5},
    {"clip_vision", verifyClipVision},
    {"wav2vec2", verifyWav2Vec2},
    {"s2v_audio_encoder", verifySoundTokens},
    {"s2v_frame_packer", verifyMotionPacking},
    {"s2v_rope", verifySoundPlaces},
    {"s2v_audio_buckets", verifySoundFrames},
    {"s2v_injector", verifyAudioInjector},
    {"dit_s2v", verifySoundTransformer},
    {"image_resize", verifyImageResize},
    {"output_size", verifyOutputSize},
    {"tokenizer", verifyTokenizer},
    {"pipeline", verifyPipeline},
    {"pipeline_inputs", verifyPipelineInputs},
    {"wan_move", verifyMoves},
    {"bernini_rope", verifySourceRotation},
    {"bernini_dit", verifySourcePasses},
    {"animate2_attention", verifyDrivingAttention},
    {"keyframes_i2v", verifyKeyframesByMask},
    {"svi_condition", verifyChainCondition},
    {"fun_condition", verifyControlCondition},
    {"keyframes_vace", verifyKeyframesByControl},
    {"schedulers", verifySchedulers},
    {"samplers_res", verifyResSamplers},
    {"easycache", verifyEasyCache},
    {"context_windows", verifyContextWindows},
    {"prompt_relay", verifyPromptRelay},
    {"torch_random", verifyTorchRandom},
    {"real_shapes", verifyRealShapes},
    {"key_maps", verifyKeyMaps},
    {"lora", verifyLora},
    {"lowp", verifyLowp},
    {"storage", verifyStorage},
    {"rife", verifyRife},
    {"upscaler", verifyUpscaler},
}};

}  // namespace

GoldenReport verifyCase(const Execution& execution, const std::filesystem::path& folder) {
    const GoldenFiles files(folder);
    const auto kind = std::ranges::find(kinds, files.kind(), &GoldenKind::name);
    if (kind == kinds.end()) {
        std::string known;
        for (const GoldenKind& row : kinds)
            known += (known.empty() ? "" : ", ") + std::string(row.name);
        throw Error(ErrorKind::Project,
                    sentence("Golden cases of the kind \"{}\" are not known yet", files.kind()),
                    folder.string(), sentence("This version checks {}", known));
    }
    GoldenComparison comparison;
    try {
        kind->verify(execution, files, comparison);
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::Input,
                    sentence("A JSON file of the case is not of the expected form: {}", error.what()),
                    folder.string(), sentence("Restore the golden case"));
    }
    return {folder, files.kind(), files.className(), comparison.finish()};
}

namespace {

constexpr std::string_view doublePrecisionMark = "_f64";
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

template <typename T>
std::vector<double> toDoubles(std::span<const T> values) {
    return {values.begin(), values.end()};
}

std::vector<double> asDoubles(const Tensor& tensor) {
    switch (tensor.dtype()) {
        case DType::F64:
            return toDoubles(tensor.data<double>());
        case DType::I64:
            return toDoubles(tensor.data<std::int64_t>());
        default: {
            const Tensor single = tensor.toF32();
            return toDoubles(std::as_const(single).data<float>());
        }
    }
}

/// |found - expected|; 0 where upstream itself made no finite number, infinity where only we did not.
double difference(double found, double expected) {
    if (!std::isfinite(expected))
        return 0.0;
    return std::isfinite(found) ? std::abs(found - expected) : std::numeric_limits<double>::infinity();
}

double largestFinite(const std::vector<double>& values) {
    double largest = 0.0;
    for (const double value : values)
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    return largest;
}

std::string shapeNote(const Tensor& ours, const Tensor& golden) {
    return fmt::format("shape {} instead of {}", ours.shape().text(), golden.shape().text());
}

/// Axes of extent 1 after the last one, up to `rank` of them in all.
Tensor withTrailingAxes(const Tensor& tensor, std::size_t rank) {
    const auto own = tensor.shape().extents();
    std::vector<std::int64_t> extents(own.begin(), own.end());
    extents.resize(std::max(rank, extents.size()), 1);
    return tensor.reshaped(Shape(extents));
}

/// What both shapes stretch to, or nothing when they do not fit together.
std::optional<Shape> broadcastShape(const Shape& a, const Shape& b, std::size_t commonAxes) {
    Shape stretched = a;
    for (std::size_t axis = 0; axis < a.rank(); ++axis) {
        const bool stretches = axis >= commonAxes && (a[axis] == 1 || b[axis] == 1);
        if (a[axis] != b[axis] && !stretches)
            return std::nullopt;
        stretched = stretched.with(axis, a[axis] == 1 ? b[axis] : a[axis]);
    }
    return stretched;
}

/// f64 of that shape; `tensor` has as many axes.
Tensor stretched(const Tensor& tensor, const Shape& shape) {
    const std::vector<double> values = asDoubles(tensor);
    std::vector<double> all(static_cast<std::size_t>(shape.elements()));
    for (std::size_t index = 0; index < all.size(); ++index) {
        std::int64_t rest = static_cast<std::int64_t>(index);
        std::int64_t from = 0;
        std::int64_t stride = 1;
        for (std::size_t axis = shape.rank(); axis-- > 0; rest /= shape[axis]) {
            const std::int64_t own = tensor.shape()[axis];
            from += own == 1 ? 0 : rest % shape[axis] * stride;
            stride *= own;
        }
        all[index] = values[static_cast<std::size_t>(from)];
    }
    return Tensor::from(shape, std::move(all));
}

}  // namespace

GoldenComparison::GoldenComparison(SafetensorsFile golden,
                                   const std::function<bool(const std::string&)>& isOutput)
    : m_golden(std::move(golden)) {
    for (const std::string& name : m_golden->names())
        if (isOutput(name) && !name.ends_with(doublePrecisionMark))
            m_outputs.insert(name);
    m_pending = m_outputs;
}

GoldenRow GoldenComparison::rowOf(const std::string& output, const Tensor& ours,
                                  GoldenTolerance tolerance) const {
    return compared(output, ours, m_golden->get(output), tolerance);
}

GoldenRow GoldenComparison::compared(const std::string& output, const Tensor& ours, const Tensor& golden,
                                     GoldenTolerance tolerance) {
    if (ours.shape() != golden.shape())
        return {output, nothing, tolerance.abs, false, false, shapeNote(ours, golden)};
    const std::vector<double> expected = asDoubles(golden);
    const std::vector<double> found = asDoubles(ours);
    GoldenRow row{.output = output, .allowed = tolerance.abs + tolerance.rel * largestFinite(expected)};
    for (std::size_t i = 0; i < expected.size(); ++i)
        row.maxAbsError = std::max(row.maxAbsError, difference(found[i], expected[i]));
    row.passed = row.maxAbsError <= row.allowed;
    return row;
}

void GoldenComparison::compare(const std::string& output, const Tensor& ours, GoldenTolerance tolerance) {
    if (!wants(output))
        return;
    m_pending.erase(output);
    m_rows.push_back(rowOf(output, ours, tolerance));
    inform(output + std::string(doublePrecisionMark), ours, tolerance);
}

void GoldenComparison::compareBroadcast(const std::string& output, const Tensor& ours, std::size_t commonAxes,
                                        GoldenTolerance tolerance) {
    if (!wants(output))
        return;
    m_pending.erase(output);
    const Tensor golden = m_golden->get(output);
    const std::size_t rank = std::max(ours.shape().rank(), golden.shape().rank());
    const Tensor own = withTrailingAxes(ours, rank);
    const Tensor upstream = withTrailingAxes(golden, rank);
    const std::optional<Shape> shape = broadcastShape(own.shape(), upstream.shape(), commonAxes);
    if (!shape) {
        m_rows.push_back({output, nothing, tolerance.abs, false, false, shapeNote(ours, golden)});
        return;
    }
    m_rows.push_back(compared(output, stretched(own, *shape), stretched(upstream, *shape), tolerance));
    if (ours.shape() != golden.shape())
        m_rows.back().note =
            fmt::format("shape {} against {}, by broadcasting", ours.shape().text(), golden.shape().text());
}

void GoldenComparison::compareOnce(const std::string& output, const Tensor& ours, GoldenTolerance tolerance) {
    if (m_pending.contains(output))
        compare(output, ours, tolerance);
}

void GoldenComparison::inform(const std::string& name, const Tensor& ours, GoldenTolerance tolerance) {
    if (!m_golden->has(name))
        return;
    m_rows.push_back(rowOf(name, ours, tolerance));
    m_rows.back().informational = true;
}

void GoldenComparison::compareAgain(const std::string& output, const std::string& label, const Tensor& ours,
                                    GoldenTolerance tolerance) {
    if (!wants(output))
        return;
    m_rows.push_back(rowOf(output, ours, tolerance));
    m_rows.back().output = label;
}

void GoldenComparison::compareFrames(const std::string& output, const Tensor& ours, double maxLevel,
                                     double differingFraction) {
    if (!wants(output))
        return;
    m_pending.erase(output);
    const Tensor golden = m_golden->get(output);
    if (ours.shape() != golden.shape() || golden.dtype() != DType::U8) {
        m_rows.push_back({output, nothing, maxLevel, false, false, shapeNote(ours, golden)});
        return;
    }
    const auto expected = golden.data<std::uint8_t>();
    const auto found = ours.data<std::uint8_t>();
    std::size_t differing = 0;
    int largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const int distance = std::abs(int{found[i]} - int{expected[i]});
        largest = std::max(largest, distance);
        differing += distance == 0 ? 0 : 1;
    }
    const double fraction =
        static_cast<double>(differing) / static_cast<double>(std::max<std::size_t>(1, expected.size()));
    m_rows.push_back({.output = output,
                      .maxAbsError = static_cast<double>(largest),
                      .allowed = maxLevel,
                      .passed = largest <= maxLevel && fraction <= differingFraction,
                      .note = fmt::format("{} of {} bytes differ, {:.2g} allowed", differing, expected.size(),
                                          differingFraction * static_cast<double>(expected.size()))});
}

void GoldenComparison::fail(const std::string& output, const std::string& why) {
    m_pending.erase(output);
    m_rows.push_back({output, nothing, 0.0, false, false, why});
}

Probe GoldenComparison::probe(const std::string& variant, GoldenTolerance tolerance) {
    return [this, variant, tolerance](std::string_view name, const Tensor& value) {
        compareOnce(variantName(variant, std::string(name)), value, tolerance);
    };
}

std::vector<GoldenRow> GoldenComparison::finish() {
    for (const std::string& output : std::set(m_pending))
        fail(output, "not produced");
    return std::move(m_rows);
}

namespace {

constexpr std::string_view inputMark = ".in.";

/// Returns where "X.in." or, in a case of one variant without a name, "in." ends; npos: this is not an input.
std::size_t endOfInputMark(const std::string& name) {
    constexpr std::size_t separator = 1;
    if (name.starts_with(inputMark.substr(separator)))
        return inputMark.size() - separator;
    const std::size_t mark = name.find(inputMark);
    return mark == std::string::npos ? mark : mark + inputMark.size();
}

/// X, or nothing of a variant without a name.
std::string variantPrefix(const std::string& name, std::size_t end) {
    return end < inputMark.size() ? std::string() : name.substr(0, end - inputMark.size());
}

std::string textOr(const nlohmann::json& object, const char* key, const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return {};
    if (!found->is_string())
        throw Error(ErrorKind::Input, sentence("`{}` is {}, not a text", key, found->dump()), where,
                    sentence("Restore the golden case"));
    return found->get<std::string>();
}

}  // namespace

GoldenFiles::GoldenFiles(std::filesystem::path folder) : m_folder(std::move(folder)) {
    const std::filesystem::path file = m_folder / "case.json";
    if (!std::filesystem::is_regular_file(file))
        throw Error(ErrorKind::Input, sentence("This is not a golden case: it has no case.json"),
                    m_folder.string(), sentence("Give the folder of a case"));
    m_description = readJsonObject(file);
    m_kind = textOr(m_description, "kind", file.string());
    m_className = textOr(m_description, "class", file.string());
    if (m_kind.empty())
        throw Error(ErrorKind::Input, sentence("The case has no `kind`"), file.string(),
                    sentence("Restore the golden case"));
}

double GoldenFiles::tolerance(const char* key) const {
    const auto all = m_description.find("tolerance");
    if (all != m_description.end() && all->is_object()) {
        const auto found = all->find(key);
        if (found != all->end() && found->is_number())
            return found->get<double>();
    }
    throw Error(ErrorKind::Input, sentence("The case has no number `tolerance.{}`", key),
                (m_folder / "case.json").string(), sentence("Restore the golden case"));
}

void GoldenFiles::requireClass(std::string_view expected) const {
    requireClass({expected});
}

void GoldenFiles::requireClass(std::initializer_list<std::string_view> expected) const {
    if (std::ranges::find(expected, m_className) != expected.end())
        return;
    const Sentence shown = m_className.empty() ? sentence("(none)") : Sentence(m_className);
    throw Error(ErrorKind::Project,
                sentence("Cases of the class {} are not known yet; kind {} is checked for {}", shown, m_kind,
                         fmt::to_string(fmt::join(expected, ", "))),
                m_folder.string(), sentence("Verify it with a newer Meshreel"));
}

nlohmann::json GoldenFiles::json(std::string_view name) const {
    return readJsonObject(m_folder / name);
}

bool GoldenFiles::has(std::string_view name) const {
    return std::filesystem::exists(m_folder / name);
}

std::string GoldenFiles::readme() const {
    return has("README.md") ? readFile(m_folder / "README.md") : std::string();
}

SafetensorsFile GoldenFiles::tensors() const {
    return SafetensorsFile::open(m_folder / "io.safetensors");
}

Checkpoint GoldenFiles::weights() const {
    for (const std::string_view name : {"weights.safetensors", "weights.safetensors.index.json"})
        if (has(name))
            return Checkpoint::open(m_folder / name);
    return Checkpoint::open(m_folder);
}

void refuseCase(const GoldenFiles& files, Sentence problem) {
    throw Error(ErrorKind::Project, std::move(problem), files.folder().string(),
                sentence("Verify it with a newer Meshreel"));
}

bool isModelOutput(const std::string& name) {
    return endOfInputMark(name) == std::string::npos;
}

std::string variantName(const std::string& variant, const std::string& name) {
    return variant.empty() ? name : variant + "." + name;
}

std::vector<std::string> goldenVariants(const SafetensorsFile& tensors) {
    std::vector<std::string> variants;
    for (const std::string& name : tensors.names()) {
        const std::size_t end = endOfInputMark(name);
        if (end == std::string::npos)
            continue;
        const std::string variant = variantPrefix(name, end);
        if (std::ranges::find(variants, variant) == variants.end())
            variants.push_back(variant);
    }
    return variants;
}

void requireKnownInputs(const GoldenFiles& files, const SafetensorsFile& tensors, const std::string& variant,
                        std::initializer_list<std::string_view> known) {
    const std::string prefix = variantName(variant, "in.");
    for (const std::string& name : tensors.names())
        if (name.starts_with(prefix) && std::ranges::find(known, name.substr(prefix.size())) == known.end())
            refuseCase(files,
                       sentence("The case gives the model the input `{}`, which Meshreel cannot run yet",
                                name.substr(prefix.size())));
}

}  // namespace meshreel
