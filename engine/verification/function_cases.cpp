// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/estimates/video_shape.h"
#include "engine/kernels/execution.h"
#include "engine/media/image_processor.h"
#include "engine/media/image_resize.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/project/input_files.h"
#include "engine/sampling/guidance.h"
#include "engine/sampling/noise.h"
#include "engine/sampling/scheduler.h"
#include "engine/sampling/step_caches.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/text/prompt_cleaning.h"
#include "engine/text/tokenizer.h"
#include "engine/verification/golden_comparison.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

// Schedulers.

constexpr const char* initialSample = "x0";
constexpr const char* cleanSample = "misc.x";
constexpr const char* addedNoise = "misc.noise";

/// What a name such as "unipc.shift5.n10.solver_order=3" asks for.
struct SchedulerRun {
    std::string name;
    std::string kind;  ///< a name of schedulerKinds()
    double shift = 1.0;
    std::optional<int> steps{};  ///< absent: the run's sigmas stand in custom.json
    json overrides = json::object();
};

/// Reads a Python literal as its `repr` writes it: True, None, numbers, lists, and bare words as texts.
json pythonLiteral(std::string text) {
    static const std::map<std::string, json> words{{"True", true}, {"False", false}, {"None", nullptr}};
    if (const auto found = words.find(text); found != words.end())
        return found->second;
    json value = json::parse(text, nullptr, false);
    return value.is_discarded() ? json(std::move(text)) : value;
}

/// Empty when the name is not of the form KIND.shiftX(.nN | .sigmas…)(.key=value)*.
std::optional<SchedulerRun> parseSchedulerRun(const std::string& name) {
    static const RegularExpression form(
        R"(([a-z0-9_]+)\.shift(\d{1,6}(?:\.\d{1,9})?)\.(?:n(\d{1,6})|sigmas\w*)((?:\.[a-z_0-9]+=.*)?))");
    static const RegularExpression override(R"(\.([a-z_0-9]+)=(.*?)(?=\.[a-z_0-9]+=|$))");
    const auto found = form.match(name);
    if (!found)
        return std::nullopt;
    const RegularExpression::Groups& groups = *found;
    SchedulerRun run{.name = name, .kind = groups[1], .shift = std::stod(groups[2])};
    if (!groups[3].empty())
        run.steps = std::stoi(groups[3]);
    std::string rest = groups[4];
    while (const auto next = override.search(rest)) {
        run.overrides[(*next)[1]] = pythonLiteral((*next)[2]);
        rest.erase(0, rest.find(next->front()) + next->front().size());
    }
    return run;
}

/// diffusers' UniPC takes the case's config; the others upstream's defaults. Both take the name's shift and
/// overrides.
json schedulerConfig(const SchedulerRun& run, const SchedulerKind& kind, const GoldenFiles& files) {
    json config = json::object();
    if (kind.className == files.className())
        config = files.json("config.json");
    config["_class_name"] = std::string(kind.className);
    config[config.contains("flow_shift") ? "flow_shift" : "shift"] = run.shift;
    config.update(run.overrides);
    return config;
}

void setTimesteps(Scheduler& scheduler, const SchedulerRun& run, const GoldenFiles& files) {
    if (run.steps) {
        scheduler.setTimesteps(*run.steps);
        return;
    }
    const json custom = files.json("custom.json");
    if (!custom.contains(run.name))
        throw Error(ErrorKind::Input, sentence("custom.json has no sigmas for \"{}\"", run.name),
                    files.folder().string());
    scheduler.setTimesteps(custom.at(run.name).get<std::vector<double>>());
}

/// The scheduler that a run's name asks for, its timesteps set; null when the name is not understood.
std::unique_ptr<Scheduler> schedulerOf(const std::string& name, const GoldenFiles& files) {
    const std::optional<SchedulerRun> run = parseSchedulerRun(name);
    const SchedulerKind* kind = run ? findSchedulerKind(run->kind) : nullptr;
    if (kind == nullptr)
        return nullptr;
    auto scheduler = makeScheduler(SchedulerConfig::fromJson(schedulerConfig(*run, *kind, files),
                                                             files.folder().string() + ", " + name));
    setTimesteps(*scheduler, *run, files);
    return scheduler;
}

/// The golden's stand-in for a model: 0.7 x + 0.4 sin(t / 100 + x) - 0.2, in f32.
Tensor standInModel(const Tensor& sample, double timestep) {
    Tensor output = Tensor::empty(sample.shape());
    const auto x = sample.data<float>();
    const auto y = output.data<float>();
    const auto phase = static_cast<float>(timestep / 100.0);
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = 0.7F * x[i] + 0.4F * std::sin(phase + x[i]) - 0.2F;
    return output;
}

Tensor trajectory(Scheduler& scheduler, const Tensor& start) {
    const std::int64_t width = start.elements();
    Tensor rows = Tensor::empty({scheduler.steps() + 1, width});
    Tensor sample = start.clone();
    for (std::int64_t row = 0;; ++row) {
        std::ranges::copy(std::as_const(sample).data<float>(),
                          rows.slice(row, row + 1).data<float>().begin());
        if (row == scheduler.steps())
            return rows;
        const double timestep = scheduler.timesteps()[static_cast<std::size_t>(row)];
        sample = scheduler.step(standInModel(sample, timestep), sample);
    }
}

/// "misc.KIND.add_noise.shiftX.nN.iI" (Euler randomCalls it scale_noise): the inputs misc.x and misc.noise
/// mixed as at step I. Returns false when the name has another form.
bool verifyAddedNoise(const std::string& output, const GoldenFiles& files, GoldenComparison& comparison) {
    static const RegularExpression form(R"(misc\.(\w+)\.(?:add|scale)_noise\.(shift.*)\.i(\d{1,6}))");
    const auto found = form.match(output);
    if (!found)
        return false;
    const RegularExpression::Groups& groups = *found;
    const auto scheduler = schedulerOf(groups[1] + "." + groups[2], files);
    if (scheduler == nullptr)
        return false;
    const SafetensorsFile& golden = comparison.golden();
    comparison.compare(output,
                       scheduler->addNoise(golden.get(cleanSample).toF32(), golden.get(addedNoise).toF32(),
                                           std::stoi(groups[3])),
                       {files.tolerance("trajectory"), 0.0});
    return true;
}

void verifyRun(const std::string& name, Scheduler& scheduler, const GoldenFiles& files,
               GoldenComparison& comparison) {
    comparison.compare(name + ".sigmas", vectorTensor(scheduler.sigmas()), {files.tolerance("sigmas"), 0.0});
    comparison.compare(name + ".timesteps", vectorTensor(scheduler.timesteps()),
                       {files.tolerance("timesteps"), 0.0});
    const Tensor start = comparison.golden().get(initialSample).toF32();
    comparison.compare(name + ".traj", trajectory(scheduler, start), {files.tolerance("trajectory"), 0.0});
}

/// A refused run fails its outputs and lets the others continue.
void reportErrors(const std::string& output, GoldenComparison& comparison,
                  const std::function<void()>& verify) {
    try {
        verify();
    } catch (const Error& error) {
        comparison.fail(output, error.what());
    }
}

bool isTrajectoryInput(const std::string& name) {
    return name == initialSample || name == cleanSample || name == addedNoise;
}

}  // namespace

void verifySchedulers(const Execution& /*execution*/, const GoldenFiles& files,
                      GoldenComparison& comparison) {
    files.requireClass("UniPCMultistepScheduler");
    comparison =
        GoldenComparison(files.tensors(), [](const std::string& name) { return !isTrajectoryInput(name); });

    std::set<std::string> runs;
    for (const std::string& output : comparison.outputs()) {
        // A name that is not understood leaves its outputs "not produced".
        reportErrors(output, comparison, [&] {
            if (!verifyAddedNoise(output, files, comparison))
                runs.insert(output.substr(0, output.rfind('.')));
        });
    }
    for (const std::string& name : runs)
        reportErrors(name, comparison, [&] {
            if (const auto scheduler = schedulerOf(name, files))
                verifyRun(name, *scheduler, files, comparison);
        });
}

namespace {

// Random numbers.

constexpr std::string_view secondCallMark = ".second_call";
constexpr std::int64_t randintEnd = std::numeric_limits<std::int32_t>::max();

/// One torch call, by the first part of a tensor's name.
struct RandomCall {
    std::string_view name;
    Tensor (*draw)(TorchGenerator& generator, const Shape& shape);
};

constexpr std::array<RandomCall, 7> randomCalls{{
    {"randn", [](TorchGenerator& g, const Shape& shape) { return g.normal(shape); }},
    {"randn_f64", [](TorchGenerator& g, const Shape& shape) { return g.normal(shape, DType::F64); }},
    {"randn_bf16", [](TorchGenerator& g, const Shape& shape) { return g.normal(shape, DType::BF16); }},
    {"randn_f16", [](TorchGenerator& g, const Shape& shape) { return g.normal(shape, DType::F16); }},
    {"rand", [](TorchGenerator& g, const Shape& shape) { return g.uniform(shape); }},
    {"rand_f64", [](TorchGenerator& g, const Shape& shape) { return g.uniform(shape, DType::F64); }},
    {"randint32", [](TorchGenerator& g, const Shape& shape) { return g.randint(0, randintEnd, shape); }},
}};

struct RandomName {
    const RandomCall* call = nullptr;
    std::uint64_t seed = 0;
};

/// "CALL.sSEED.…"; torch maps a negative seed to its two's complement.
std::optional<RandomName> parseName(const std::string& name) {
    static const RegularExpression form(R"(([a-z0-9_]+)\.s(-?)(\d{1,19})\..*)");
    const auto found = form.match(name);
    if (!found)
        return std::nullopt;
    const RegularExpression::Groups& groups = *found;
    const auto call = std::ranges::find(randomCalls, groups[1], &RandomCall::name);
    if (call == randomCalls.end())
        return std::nullopt;
    const std::uint64_t magnitude = std::stoull(groups[3]);
    return RandomName{&*call, groups[2].empty() ? magnitude : 0 - magnitude};
}

}  // namespace

void verifyTorchRandom(const Execution& /*execution*/, const GoldenFiles& files,
                       GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(), [](const std::string&) { return true; });
    const GoldenTolerance tolerance = files.outputTolerance();
    const auto shapeOf = [&](const std::string& name) { return comparison.golden().find(name)->shape; };
    for (const std::string& output : comparison.outputs()) {
        const std::optional<RandomName> parsed = parseName(output);
        if (!parsed)
            continue;  // reported as not produced
        TorchGenerator generator(parsed->seed);
        if (output.ends_with(secondCallMark)) {
            const std::string first = output.substr(0, output.size() - secondCallMark.size());
            if (!comparison.wants(first))
                continue;
            parsed->call->draw(generator, shapeOf(first));
        }
        comparison.compare(output, parsed->call->draw(generator, shapeOf(output)), tolerance);
    }
}

namespace {

// The tokenizer.

constexpr std::string_view fastFile = "tokenizer.json";
constexpr std::string_view sentencePieceFile = "spiece.model";
constexpr const char* configFile = "tokenizer_config.json";
constexpr std::int64_t defaultMaxLength = 512;

// A tokenizer folder with both file formats opens as the fast tokenizer, so each format is tried in a folder
// of its own.
Tokenizer openAlone(const GoldenFiles& files, std::string_view file, const std::string& content) {
    const ScratchFolder folder;
    writeFileAtomically(folder.path() / file, content);
    if (files.has(configFile))
        writeFileAtomically(folder.path() / configFile, readFile(files.folder() / configFile));
    return Tokenizer::open(folder.path());
}

std::string withByteFallback(const std::string& tokenizerJson, const std::string& where) {
    json content = parseJsonObject(tokenizerJson, where);
    content["model"]["byte_fallback"] = true;
    return content.dump();
}

/// Counts the rows of table.json where something differs.
class RowCount {
  public:
    explicit RowCount(std::string output) : m_output(std::move(output)) {}

    void row(bool equal, std::size_t index) {
        ++m_rows;
        if (equal)
            return;
        if (m_differing++ == 0)
            m_first = index;
    }

    [[nodiscard]] GoldenRow result() const {
        GoldenRow row{
            .output = m_output, .maxAbsError = static_cast<double>(m_differing), .passed = m_differing == 0};
        row.note = std::to_string(m_differing) + " of " + std::to_string(m_rows) + " rows differ";
        if (m_differing > 0)
            row.note += ", first row " + std::to_string(m_first);
        return row;
    }

  private:
    std::string m_output;
    std::size_t m_rows = 0;
    std::size_t m_differing = 0;
    std::size_t m_first = 0;
};

/// The ids padded to maxLength with mask, as the text encoder gets them.
bool encodesTo(const Tokenizer& tokenizer, const std::string& cleaned, std::vector<std::int64_t> ids,
               std::int64_t maxLength) {
    const Tokenizer::Encoded encoded = tokenizer.encode(cleaned, maxLength);
    std::vector<std::int64_t> mask(ids.size(), 1);
    mask.resize(static_cast<std::size_t>(maxLength), 0);
    const auto length = static_cast<std::int64_t>(ids.size());
    ids.resize(static_cast<std::size_t>(maxLength), 0);
    return encoded.ids == ids && encoded.mask == mask && encoded.length == length;
}

struct Column {
    const char* name;
    const char* whenAbsent;  ///< the column that holds equal ids; null: rows without the key are left out
    std::string_view file;
    bool byteFallback;
};

constexpr std::array<Column, 3> idColumns{{{"ids_sp", nullptr, sentencePieceFile, false},
                                           {"ids_fast", nullptr, fastFile, false},
                                           {"ids_fast_byte_fallback", "ids_fast", fastFile, true}}};

void verifyIds(const Column& column, const json& table, std::int64_t maxLength, const GoldenFiles& files,
               GoldenComparison& comparison) {
    const auto holds = [&](const json& row) { return row.contains(column.name); };
    if (std::none_of(table.begin(), table.end(), holds))
        return;
    if (!files.has(column.file)) {
        comparison.fail(column.name, "not produced: the case has no " + std::string(column.file));
        return;
    }
    const std::string content = readFile(files.folder() / column.file, Limit::Json);
    const Tokenizer tokenizer =
        openAlone(files, column.file,
                  column.byteFallback ? withByteFallback(content, files.place(column.file)) : content);
    RowCount ids(column.name);
    RowCount length("n_full");
    for (std::size_t i = 0; i < table.size(); ++i) {
        const json& row = table[i];
        const char* key = holds(row) ? column.name : column.whenAbsent;
        if (key == nullptr || !row.contains(key))
            continue;
        const auto cleaned = row.at("cleaned").get<std::string>();
        ids.row(encodesTo(tokenizer, cleaned, row.at(key).get<std::vector<std::int64_t>>(), maxLength), i);
        if (column.file == sentencePieceFile && row.contains("n_full"))
            length.row(tokenizer.ids(cleaned).size() == row["n_full"].get<std::size_t>(), i);
    }
    comparison.add(ids.result());
    if (column.file == sentencePieceFile)
        comparison.add(length.result());
}

json readTable(const GoldenFiles& files) {
    // json::parse, not parseJsonObject: the table is an array.
    json table = json::parse(readFile(files.folder() / "table.json"), nullptr, false);
    const bool whole = table.is_array() && std::all_of(table.begin(), table.end(), [](const json& row) {
                           return row.is_object() && row.contains("text") && row.contains("cleaned");
                       });
    if (!whole)
        throw Error(ErrorKind::Input, sentence("This is no table of texts and their ids"),
                    files.place("table.json"), sentence("Restore the golden case"));
    return table;
}

}  // namespace

void verifyTokenizer(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    const json table = readTable(files);
    RowCount cleaned("cleaned");
    for (std::size_t i = 0; i < table.size(); ++i)
        cleaned.row(
            cleanPrompt(table[i].at("text").get<std::string>()) == table[i].at("cleaned").get<std::string>(),
            i);
    comparison.add(cleaned.result());

    std::int64_t maxLength = defaultMaxLength;
    if (files.has(configFile))
        maxLength = files.json(configFile).value("model_max_length", defaultMaxLength);
    for (const Column& column : idColumns)
        verifyIds(column, table, maxLength, files, comparison);
}

namespace {

// Resized images.

constexpr const char* inputEnd = ".in";

bool isSourceImage(const std::string& name) {
    return name.ends_with(inputEnd);
}

struct PillowFilter {
    const char* name;
    Resampling filter;
};

constexpr PillowFilter pillowFilters[] = {{".lanczos", Resampling::Lanczos},
                                          {".bicubic", Resampling::Bicubic},
                                          {".bilinear", Resampling::Bilinear}};

struct TorchMode {
    const char* name;
    Interpolation interpolation;
};

constexpr TorchMode torchModes[] = {{".torch_bicubic", Interpolation::Bicubic},
                                    {".torch_bilinear", Interpolation::Bilinear}};

void verifyResize(const std::string& image, const Tensor& pixels, GoldenTolerance tolerance,
                  GoldenComparison& comparison) {
    for (const PillowFilter& row : pillowFilters) {
        const std::string output = image + row.name;
        if (!comparison.wants(output))
            continue;
        const Shape size = comparison.golden().get(output).shape();
        comparison.compare(output, resizeImage(pixels, size[0], size[1], row.filter), exactly);
    }
    const Tensor planes = videoPixels(pixels.reshaped({1, pixels.extent(0), pixels.extent(1), 3}));
    for (const TorchMode& row : torchModes) {
        const std::string output = image + row.name;
        if (!comparison.wants(output))
            continue;
        const Shape size = comparison.golden().get(output).shape();
        comparison.compare(
            output,
            interpolatePlanes(planes, size[1], size[2], row.interpolation).reshaped({3, size[1], size[2]}),
            tolerance);
    }
}

}  // namespace

void verifyImageResize(const Execution& /*execution*/, const GoldenFiles& files,
                       GoldenComparison& comparison) {
    comparison =
        GoldenComparison(files.tensors(), [](const std::string& name) { return !isSourceImage(name); });
    for (const std::string& name : comparison.golden().names())
        if (isSourceImage(name))
            verifyResize(name.substr(0, name.size() - std::string(inputEnd).size()),
                         comparison.golden().get(name), files.outputTolerance(), comparison);
}

namespace {

// What pipelines make of their inputs beside the transformer.

constexpr const char* pictureEnd = ".picture";
constexpr std::array<std::string_view, 5> phantomInputs{"latents", "subjects", "pos_it", "pos_i", "neg"};

void verifyPhantom(const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(), [](const std::string& name) {
        return !name.ends_with(pictureEnd) && std::ranges::find(phantomInputs, name) == phantomInputs.end();
    });
    const SafetensorsFile& golden = comparison.golden();
    const GoldenTolerance tolerance = files.outputTolerance();
    for (const std::string& name : golden.names()) {
        if (!name.ends_with(pictureEnd))
            continue;
        const std::string output = name.substr(0, name.size() - std::string(pictureEnd).size()) + ".pixels";
        const Shape size = golden.get(output).shape();  // [3, H, W]
        comparison.compare(output, subjectPixels(golden.get(name), size[1], size[2]).reshaped(size),
                           tolerance);
    }
    VisualConditioning visual;
    visual.subjects = golden.get("subjects");
    const Tensor latents = golden.get("latents");
    comparison.compare("model_input", modelLatents(visual, latents), exactly);
    comparison.compare("model_input_neg", latentsWithoutSubjects(visual, latents), exactly);
    comparison.compare("x0", finishedLatents(visual, visual.subjects->extent(frameAxis), latents), exactly);
    comparison.compare("noise_pred",
                       guide(golden.get("pos_it"), golden.get("pos_i"), golden.get("neg"),
                             files.description().at("guide_scale_text").get<double>(),
                             files.description().at("guide_scale_img").get<double>()),
                       tolerance);
}

}  // namespace

namespace {

constexpr const char* latentsEnd = ".latents";

void verifyAti(const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(),
                                  [](const std::string& name) { return !name.ends_with(latentsEnd); });
    const SafetensorsFile& golden = comparison.golden();
    const std::vector<PointTrack> tracks = readTracks(files.place("tracks.json"));
    for (const auto& [name, size] : files.description().at("videos").items()) {
        const VideoGeometry geometry{.frames = size.at("frames").get<std::int64_t>(),
                                     .height = size.at("height").get<std::int64_t>(),
                                     .width = size.at("width").get<std::int64_t>()};
        const Tensor sampled = sampledTracks(tracks, geometry);
        comparison.compare(name + ".tracks", sampled, files.outputTolerance());
        if (golden.find(name + latentsEnd) != nullptr)
            comparison.compare(name + ".y",
                               alongTracks(golden.get(name + latentsEnd), sampled, geometry.temporalFactor),
                               files.outputTolerance());
    }
}

}  // namespace

void verifyPipelineInputs(const Execution& /*execution*/, const GoldenFiles& files,
                          GoldenComparison& comparison) {
    if (files.className() == "WanATI")
        return verifyAti(files, comparison);
    if (files.className() != "Phantom_Wan_S2V")
        refuseCase(files,
                   sentence("The case is of the class {}, which Meshreel cannot run yet", files.className()));
    verifyPhantom(files, comparison);
}

namespace {

// Sizes of videos that start from an image.

struct SizeRule {
    std::string_view key;  // in a table's row, [height, width]
    std::function<FrameSize(const FrameSize& image, std::int64_t maxArea)> size;
};

const SizeRule sizeRules[] = {
    {"wan_i2v_hw",
     [](const FrameSize& image, std::int64_t area) {
         constexpr std::int64_t latentPixels = 8;
         constexpr std::int64_t patchLatents = 2;
         return wanImageVideoSize(image, area, latentPixels, patchLatents);
     }},
    {"wan22_ti2v_hw",
     [](const FrameSize& image, std::int64_t area) { return bestOutputSize(image, area, 32); }},
    {"diffusers_mod16_hw",
     [](const FrameSize& image, std::int64_t area) { return diffusersImageVideoSize(image, area, 16); }},
    {"diffusers_mod32_hw",
     [](const FrameSize& image, std::int64_t area) { return diffusersImageVideoSize(image, area, 32); }},
};

GoldenRow compareSize(const SizeRule& rule, const json& row) {
    const FrameSize image{row.at("h").get<std::int64_t>(), row.at("w").get<std::int64_t>()};
    const auto maxArea = row.at("max_area").get<std::int64_t>();
    const FrameSize expected{row.at(rule.key).at(0).get<std::int64_t>(),
                             row.at(rule.key).at(1).get<std::int64_t>()};
    GoldenRow result{.output = fmt::format("{} of {}x{}, {}", rule.key, image.height, image.width, maxArea)};
    try {
        const FrameSize found = rule.size(image, maxArea);
        result.passed = found == expected;
        if (!result.passed)
            result.note = fmt::format("{}x{} in place of {}x{}", found.height, found.width, expected.height,
                                      expected.width);
    } catch (const Error& error) {
        result.note = error.what();
    }
    return result;
}

}  // namespace

void verifyOutputSize(const Execution& /*execution*/, const GoldenFiles& files,
                      GoldenComparison& comparison) {
    for (const json& row : json::parse(readFile(files.place("table.json"))))
        for (const SizeRule& rule : sizeRules)
            if (row.contains(rule.key))
                comparison.add(compareSize(rule, row));
}

namespace {

// Names of tensors.

/// Block indices that stand in for `{i}`.
constexpr std::array blockIndices = {0, 1, 7, 39};

/// What may stand for "*" and for "{weight,bias}".
constexpr std::array<std::string_view, 2> lastParts = {"weight", "bias"};

struct NamePair {
    std::string original;
    std::set<std::string> diffusers;  ///< several for a tensor that is split; none for one that is not used
};

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

/// "name  (a remark)" without its remark.
std::string withoutRemark(const std::string& text) {
    const std::size_t end = text.find(" (");
    std::string name = text.substr(0, end);
    name.erase(name.find_last_not_of(' ') + 1);
    return name;
}

/// "a.{q,k,v}.b" -> "a.q.b", "a.k.b", "a.v.b"; other braces are left alone.
std::set<std::string> alternatives(const std::string& text) {
    const std::size_t open = text.find('{');
    const std::size_t close = text.find('}', open);
    if (open == std::string::npos || close == std::string::npos ||
        text.substr(open, close - open).find(',') == std::string::npos)
        return {text};
    std::set<std::string> all;
    const std::string list = text.substr(open + 1, close - open - 1);
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        all.insert(text.substr(0, open) + list.substr(begin, end - begin) + text.substr(close + 1));
        begin = end + 1;
    }
    return all;
}

/// One pair of the file with an index and a last part in place of what stands for them.
NamePair instantiate(const std::string& original, const json& value, int index, std::string_view last) {
    const auto concrete = [&](const std::string& text) {
        std::string name = replaced(withoutRemark(text), "{i}", std::to_string(index));
        name = replaced(name, "{weight,bias}", last);
        return name.ends_with(".*") ? name.substr(0, name.size() - 1) + std::string(last) : name;
    };
    NamePair pair{.original = concrete(original), .diffusers = {}};
    const json values = value.is_array() ? value : json::array({value});
    for (const json& item : values)
        if (const auto text = item.get<std::string>(); text != "(unused)")
            pair.diffusers.merge(alternatives(concrete(text)));
    return pair;
}

std::vector<NamePair> pairsOf(const json& file) {
    std::map<std::string, NamePair> pairs;
    for (const auto& [original, value] : file.items())
        if (original != "NOTE")
            for (const int index : blockIndices)
                for (const std::string_view last : lastParts) {
                    NamePair pair = instantiate(original, value, index, last);
                    pairs.emplace(pair.original, std::move(pair));
                }
    std::vector<NamePair> all;
    for (auto& [name, pair] : pairs)
        all.push_back(std::move(pair));
    return all;
}

std::vector<std::string> originalNames(const std::vector<NamePair>& pairs) {
    std::vector<std::string> names;
    for (const NamePair& pair : pairs)
        names.push_back(pair.original);
    return names;
}

/// The first name that is converted wrongly, in either direction; empty when there is none.
std::string firstMistake(const NameMap& map, const std::vector<NamePair>& pairs) {
    for (const NamePair& pair : pairs) {
        std::set<std::string> found;
        for (const MappedName& mapped : map.toDiffusers(pair.original))
            if (!mapped.name.empty())
                found.insert(mapped.name);
        if (found != pair.diffusers)
            return fmt::format("{} becomes {}", pair.original, found.empty() ? "nothing" : *found.begin());
        for (const std::string& name : pair.diffusers)
            if (const auto back = map.toOriginal(name); !back || back->name != pair.original)
                return fmt::format("{} goes back to {}", name, back ? back->name : "nothing");
    }
    return {};
}

void verifyNames(const std::string& label, ModelPart part, const std::vector<NamePair>& pairs,
                 GoldenComparison& comparison) {
    const std::string mistake = firstMistake(NameMap(part, NameContext::of(originalNames(pairs))), pairs);
    comparison.add({.output = label,
                    .passed = mistake.empty() && !pairs.empty(),
                    .note = mistake.empty() ? fmt::format("{} names both ways", pairs.size()) : mistake});
}

/// Verifies ComfyUI's files: original names after every prefix, and which tensors are not weights.
void verifyComfyUi(const json& file, const std::vector<std::string>& transformerNames,
                   GoldenComparison& comparison) {
    for (const json& item : file.at("dit").at("prefixes")) {
        const auto prefix = item.get<std::string>();
        std::vector<std::string> names;
        for (const std::string& name : transformerNames)
            names.push_back(prefix + name);
        const WeightLayout layout = WeightLayout::of(names);
        comparison.add({.output = fmt::format("comfyui prefix \"{}\"", prefix),
                        .passed = layout.part == ModelPart::Transformer &&
                                  layout.naming == Naming::Original && layout.prefix == prefix});
    }
    for (const auto& [name, meaning] : file.at("dit").at("scaled_fp8").items()) {
        const std::string tensor = replaced(name, "<layer>", "blocks.0.ffn.0");
        const bool isWeight = tensor == "blocks.0.ffn.0.weight";
        const auto scale = parseScaleName(tensor);
        const bool known = scale ? scale->weight == "blocks.0.ffn.0.weight" : isNoWeight(tensor);
        comparison.add({.output = "comfyui " + name, .passed = isWeight ? !known : known});
    }
}

}  // namespace

void verifyKeyMaps(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    struct FileKind {
        std::string_view start;
        ModelPart part;
    };
    constexpr std::array kinds = {FileKind{"wan", ModelPart::Transformer}, FileKind{"vae", ModelPart::Vae},
                                  FileKind{"t5", ModelPart::TextEncoder},
                                  FileKind{"clip", ModelPart::ImageEncoder}};
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(files.folder()))
        if (entry.path().extension() == ".json")
            names.insert(entry.path().filename().string());
    std::vector<std::string> transformerNames;
    for (const std::string& name : names)
        for (const FileKind& kind : kinds)
            if (name.starts_with(kind.start)) {
                const std::vector<NamePair> pairs = pairsOf(files.json(name));
                verifyNames(name, kind.part, pairs, comparison);
                if (kind.part == ModelPart::Transformer)
                    transformerNames = originalNames(pairs);
            }
    if (names.contains("comfyui.json"))
        verifyComfyUi(files.json("comfyui.json"), transformerNames, comparison);
}

}  // namespace meshreel
