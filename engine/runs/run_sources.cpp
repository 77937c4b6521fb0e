// SPDX-License-Identifier: GPL-3.0-or-later

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include "engine/runs/run_sources.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <spdlog/version.h>
#include <unicode/uversion.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/held_file.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/version.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/run_work.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/dispatch/dnnl_library.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/media/clip_folder.h"
#include "engine/media/frame_folder.h"
#include "engine/media/frame_source.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/planning/plan_work.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/lora.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

// Inputs in the run's folder.

void copyFile(const HeldFile& from, const fs::path& to, std::string_view key) {
    std::error_code failure;
    fs::create_directories(to.parent_path(), failure);
    if (!failure)
        failure = {copyRest(from.descriptor(), to), std::generic_category()};
    if (!failure)
        return;
    const bool full = failure == std::errc::no_space_on_device || failure == std::errc::file_too_large ||
                      failure.value() == EDQUOT;
    throw Error(full ? ErrorKind::Resources : ErrorKind::Input,
                sentence("{} cannot be copied into the run's folder ({})", key, failure.message()),
                withTilde(from.name()),
                full ? sentence("Free some space or choose another disk")
                     : sentence("Check that the file is there and can be read"));
}

/// A file, or the frames of a folder and nothing else that lies there.
void copyFrames(const HeldFile& held, const fs::path& to, const ProjectKey& key) {
    held.readWith(requireMedium);
    if (!held.isFolder()) {
        copyFile(held, to, key.name);
        return;
    }
    const auto framesOf = [](const fs::path& folder) { return FrameFolder::read(folder).files; };
    for (const fs::path& frame : held.readWith(framesOf))
        copyFile(HeldFile(held, frame.filename().string()), to / frame.filename(), key.name);
}

std::vector<SourceFile> vaeOf(std::span<const SourceFile> files) {
    std::vector<SourceFile> vae;
    std::ranges::copy_if(files, std::back_inserter(vae),
                         [](const SourceFile& file) { return file.part == "vae"; });
    return vae;
}

/// The files that the run in a folder, or what was copied of one, was made of; none where it does not say.
std::vector<SourceFile> sourcesIn(const HeldFile& run) {
    const HeldFile file(run, std::string(run_file::sources));
    const auto read = [](const fs::path& same) { return readFile(same, Limit::Json); };
    return parseJsonObject(file.readWith(read), file.name().string())
        .at("files")
        .get<std::vector<SourceFile>>();
}

/// Whether a run's latents are whole, and mean to this model's VAE what they meant to its own.
bool hasUsableLatents(const HeldFile& run, std::span<const SourceFile> modelFiles) {
    try {
        const std::vector<SourceFile> own = vaeOf(modelFiles);
        if (own.empty() || vaeOf(sourcesIn(run)) != own)
            return false;
        if (std::error_code ignored; fs::exists(run.path() / run_file::status, ignored))
            static_cast<void>(RunFolder::open(run.realPath()).latents());
        return true;
    } catch (const Error&) {
        return false;  // its video is enough
    } catch (const nlohmann::json::exception&) {
        return false;
    }
}

/// What a clip goes on from in a run's folder.
void copyClip(const HeldFile& run, const fs::path& to, const ProjectKey& key,
              std::span<const SourceFile> modelFiles) {
    const HeldFile video = holdVideo(run);
    copyFrames(video, to / video.name().filename(), key);
    const std::optional<HeldFile> latents = holdLatents(run);
    if (!latents || !hasUsableLatents(run, modelFiles))
        return;
    copyFile(*latents, to / clip_file::latents, key.name);
    // So that the copy can be copied.
    copyFile(HeldFile(run, std::string(run_file::sources)), to / run_file::sources, key.name);
}

void copyInput(const fs::path& from, const fs::path& to, const InputKey& input, const TrustedInputs& trusted,
               std::span<const SourceFile> modelFiles) {
    const ProjectKey& key = *findProjectKey(input.name);
    const HeldFile held(from, Links::Follow);
    trusted.require(key, from, held.realPath());
    if (input.kind == InputKind::Clip && isClipFolder(held.path()))
        copyClip(held, to, key, modelFiles);
    else
        copyFrames(held, to, key);
}

/// "inputs/image.png"; of several files "inputs/reference_images-2.png".
fs::path placeOf(const InputKey& key, std::size_t index, const fs::path& file) {
    const std::string number = key.namesSeveral() ? fmt::format("-{}", index + 1) : std::string();
    return fs::path(run_file::inputs) / (fmt::format("{}{}", key.name, number) + file.extension().string());
}

Project copyInputs(const RunFolder& folder, Project project, const TrustedInputs& trusted,
                   std::span<const SourceFile> modelFiles) {
    for (const InputKey& key : inputKeys()) {
        std::vector<std::string> files = inputFiles(project, key);
        for (std::size_t index = 0; index < files.size(); ++index) {
            const fs::path copy = folder.path() / placeOf(key, index, files[index]);
            copyInput(files[index], copy, key, trusted, modelFiles);
            files[index] = copy.string();
        }
        setInputFiles(project, key, files);
    }
    return project;
}

}  // namespace

Project storeInputs(const RunFolder& folder, Project project, const TrustedInputs& trusted,
                    std::span<const SourceFile> modelFiles) {
    try {
        return copyInputs(folder, std::move(project), trusted, modelFiles);
    } catch (const Error&) {
        std::error_code ignored;
        fs::remove_all(folder.file(run_file::inputs), ignored);
        throw;
    }
}

Project withInputsWhereTheyLie(Project project, const TrustedInputs& trusted) {
    for (const InputKey& key : inputKeys()) {
        std::vector<std::string> files = inputFiles(project, key);
        for (std::string& file : files) {
            const fs::path real = HeldFile(file, Links::Follow).realPath();
            trusted.require(*findProjectKey(key.name), file, real);
            file = real.string();
        }
        setInputFiles(project, key, files);
    }
    return project;
}

Project asStoredIn(const RunFolder& folder, Project project) {
    for (const InputKey& key : inputKeys()) {
        std::vector<std::string> files = inputFiles(project, key);
        for (std::string& file : files)
            file = fs::path(file).lexically_relative(folder.path()).generic_string();
        setInputFiles(project, key, files);
    }
    return project;
}

namespace {

// What a run is made of.

/// A file besides the weights from which a model's parts are read, if it is there.
struct PartFile {
    std::string_view part;
    std::string_view name;
};
constexpr std::array partFiles{
    PartFile{"scheduler", "scheduler_config.json"},
    PartFile{"transformer", "config.json"},
    PartFile{"transformer_2", "config.json"},
    PartFile{"text_encoder", "config.json"},
    PartFile{"vae", "config.json"},
    PartFile{"image_encoder", "config.json"},
    PartFile{"audio_encoder", "config.json"},
    PartFile{"audio_encoder", "preprocessor_config.json"},
    PartFile{"tokenizer", "tokenizer.json"},
    PartFile{"tokenizer", "tokenizer_config.json"},
    PartFile{"tokenizer", "spiece.model"},
    PartFile{"image_processor", "preprocessor_config.json"},
};

// Keys that change neither latents nor frames. The axes of the mesh decide bits and are among the machine's
// facts, as the number of workers and the GPU are.
constexpr std::array<std::string_view, 28> freeKeys{"run_name",
                                                    "parts.preview",
                                                    "gpus",
                                                    "audio",
                                                    "metadata",
                                                    "interpolate",
                                                    "interpolator",
                                                    "upscale",
                                                    "upscaler",
                                                    "video_format",
                                                    "video_quality",
                                                    "compare_with",
                                                    "wildcards",
                                                    "workers",
                                                    "devices",
                                                    "hosts",
                                                    "broadcast_weights",
                                                    "stall_timeout",
                                                    "memory_budget",
                                                    "replicate_vae",
                                                    "ici_data_parallelism",
                                                    "ici_fsdp_parallelism",
                                                    "ici_context_parallelism",
                                                    "ici_tensor_parallelism",
                                                    "dcn_data_parallelism",
                                                    "dcn_fsdp_parallelism",
                                                    "dcn_context_parallelism",
                                                    "dcn_tensor_parallelism"};

// Keys that name files, whose content is compared.
constexpr std::array<std::string_view, 8> modelFileKeys{"pretrained_model_name_or_path",
                                                        "parts.transformer",
                                                        "parts.transformer_2",
                                                        "parts.text_encoder",
                                                        "parts.vae",
                                                        "parts.image_encoder",
                                                        "parts.audio_encoder",
                                                        "parts.tokenizer"};

void addWeights(std::vector<SourceFile>& files, const std::string& part, const fs::path& folder,
                const StopToken& stop) {
    const Checkpoint checkpoint = Checkpoint::open(folder);
    for (const TensorFile& shard : checkpoint.shards())
        files.push_back({part, shard.path().filename().string(), fingerprintWeights(shard, stop)});
}

/// Whether the run reads the file; of tokenizers as Tokenizer::open() chooses.
bool isRead(const PartFile& row, bool hasFastTokenizer) {
    return row.part != "tokenizer" || (row.name == "spiece.model") != hasFastTokenizer;
}

void addPartFiles(std::vector<SourceFile>& files, const RunPlan& plan, const std::set<std::string>& used,
                  const StopToken& stop) {
    const bool hasFastTokenizer = isThere(plan.modelFolder / "tokenizer" / "tokenizer.json");
    for (const PartFile& row : partFiles) {
        const std::string part(row.part);
        const fs::path file = plan.modelFolder / row.part / row.name;
        if (used.contains(part) && isRead(row, hasFastTokenizer) && isThere(file))
            files.push_back({part, std::string(row.name), fingerprintFile(file, stop)});
    }
}

/// The files below `path`, or that file, by their names in it.
std::map<std::string, fs::path> filesBelow(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_directory(path, failure))
        return {{path.filename().string(), path}};
    std::map<std::string, fs::path> files;
    for (fs::recursive_directory_iterator entry(path, failure), end; !failure && entry != end;
         entry.increment(failure))
        if (std::error_code ignored; entry->is_regular_file(ignored))
            files.emplace(entry->path().lexically_relative(path).generic_string(), entry->path());
    return files;
}

/// What a clip is continued from: of a run's folder its video and latents. What else lies there, such as
/// its log, changes no frame. Throws Error{Input} for a run without a video.
std::map<std::string, fs::path> filesOfClip(const fs::path& clip) {
    if (!isClipFolder(clip))
        return filesBelow(clip);
    std::map<std::string, fs::path> files;
    for (const fs::path& used : {videoOfClip(clip), clip / clip_file::latents})
        if (isThere(used))
            for (const auto& [name, file] : filesBelow(used))
                files.emplace(file.lexically_relative(clip).generic_string(), file);
    return files;
}

/// Whether two values of a key that names files say the same beside those names.
bool sayTheSame(const InputKey& key, const std::string& was, const std::string& is) {
    const auto read = [&key](const std::string& value) {
        Project project;
        const bool isRead = !trySetFromText(project, *findProjectKey(key.name), value);
        return isRead ? textBesideFiles(project, key) : value;
    };
    return read(was) == read(is);
}

/// The project without the folders of adapters, which are compared by their content.
Project withAdapterNames(Project project) {
    for (LoraChoice& adapter : project.lora)
        adapter.file = fs::path(adapter.file).filename().string();
    return project;
}

bool isListed(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

/// Where two texts begin to differ, at the beginning of a character.
std::size_t firstDifference(std::string_view a, std::string_view b) {
    const auto at = std::ranges::mismatch(a, b).in1 - a.begin();
    return characterBegin(a, static_cast<std::size_t>(at));
}

/// At most about `most` bytes of a text in quotation marks, from a little before `from` on.
std::string quotedFrom(const std::string& text, std::size_t from) {
    constexpr std::size_t before = 24;
    constexpr std::size_t most = 80;
    const std::size_t begin = from > before ? characterBegin(text, from - before) : 0;
    const std::size_t end = text.size() - begin > most ? characterBegin(text, begin + most) : text.size();
    return fmt::format("\"{}{}{}\"", begin > 0 ? "…" : "", text.substr(begin, end - begin),
                       end < text.size() ? "…" : "");
}

Sentence settingDifference(const std::string& key, const std::string& was, const std::string& is) {
    const std::size_t from = firstDifference(was, is);
    return sentence("{} was {}, is {}", key, quotedFrom(was, from), quotedFrom(is, from));
}

using Parts = std::map<std::string, std::map<std::string, FileFingerprint>>;

Parts partsOf(const std::vector<SourceFile>& files) {
    Parts parts;
    for (const SourceFile& file : files)
        parts[file.part][file.name] = file.fingerprint;
    return parts;
}

/// Whether two parts hold the same files, whatever these are called.
bool holdTheSame(const std::map<std::string, FileFingerprint>& was,
                 const std::map<std::string, FileFingerprint>& is) {
    const auto contents = [](const auto& files) {
        std::vector<std::pair<std::uint64_t, std::string>> list;
        for (const auto& [name, fingerprint] : files)
            list.emplace_back(fingerprint.bytes, fingerprint.hash);
        std::ranges::sort(list);
        return list;
    };
    return contents(was) == contents(is);
}

void addPartDifferences(std::vector<Sentence>& differences, const std::string& part,
                        const std::map<std::string, FileFingerprint>& was,
                        const std::map<std::string, FileFingerprint>& is) {
    for (const auto& [name, fingerprint] : was)
        if (const auto now = is.find(name); now == is.end())
            differences.push_back(sentence("{}: {} is no longer used", part, name));
        else if (now->second.bytes != fingerprint.bytes)
            differences.push_back(
                sentence("{}: {} had {} bytes, has {}", part, name, fingerprint.bytes, now->second.bytes));
        else if (now->second != fingerprint)
            differences.push_back(sentence("{}: {} holds other data", part, name));
    for (const auto& [name, fingerprint] : is)
        if (!was.contains(name))
            differences.push_back(sentence("{}: {} is new", part, name));
}

}  // namespace

std::vector<SourceFile> modelSources(const RunPlan& plan, const StopToken& stop) {
    std::vector<SourceFile> files;
    files.push_back(
        {"model", std::string(modelIndexName), fingerprintFile(plan.modelFolder / modelIndexName, stop)});
    std::set<std::string> parts{"transformer", "text_encoder", "vae"};
    if (plan.model.experts() > 1)
        parts.emplace(transformerName(2));
    if (plan.model.imageEncoder)
        parts.emplace("image_encoder");
    if (plan.model.audioEncoder)
        parts.emplace("audio_encoder");
    for (const std::string& part : parts)
        addWeights(files, part, plan.modelFolder / part, stop);
    parts.insert({"scheduler", "tokenizer"});
    if (plan.model.imageEncoder)
        parts.emplace("image_processor");
    addPartFiles(files, plan, parts, stop);

    std::vector<fs::path> adapters;
    for (const PlannedAdapter& planned : plan.adapters) {
        const LoraAdapter& adapter = *planned.adapter;
        if (std::ranges::find(adapters, adapter.path()) != adapters.end())
            continue;
        adapters.push_back(adapter.path());
        const std::string part = fmt::format("adapter {}", adapters.size());
        files.push_back({part, adapter.path().filename().string(),
                         fingerprintWeights(TensorFile::open(adapter.path()), stop)});
        if (const fs::path& description = adapter.descriptionFile(); !description.empty())
            files.push_back({part, description.filename().string(), fingerprintFile(description, stop)});
    }
    return files;
}

std::vector<SourceFile> inputSources(const Project& project, const StopToken& stop) {
    std::vector<SourceFile> files;
    for (const InputKey& key : inputKeys()) {
        if (key.kind == InputKind::Sound)
            continue;  // changes no frame, and may be another one when the video is written again
        const std::vector<std::string> inputs = inputFiles(project, key);
        for (std::size_t index = 0; index < inputs.size(); ++index) {
            const std::string part =
                key.namesSeveral() ? fmt::format("{} {}", key.name, index + 1) : std::string(key.name);
            for (const auto& [name, file] :
                 key.kind == InputKind::Clip ? filesOfClip(inputs[index]) : filesBelow(inputs[index]))
                files.push_back({part, name, fingerprintFile(file, stop)});
        }
    }
    return files;
}

SettingValues storedSettings(const RunFolder& folder) {
    const Project project = withAdapterNames(asStoredIn(folder, folder.project()));
    SettingValues settings;
    for (const ProjectKey& key : projectKeys())
        settings[std::string(key.name)] = valueText(project, key);
    return settings;
}

void to_json(nlohmann::json& json, const SourceFile& file) {
    json = file.fingerprint;
    json["part"] = file.part;
    json["file"] = file.name;
}

void from_json(const nlohmann::json& json, SourceFile& file) {
    file = {json.at("part").get<std::string>(), json.at("file").get<std::string>(),
            json.get<FileFingerprint>()};
}

void writeSources(const RunFolder& folder, const RunSources& sources) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const SourceFile& file : sources.files) {
        nlohmann::ordered_json entry{{"part", file.part}, {"file", file.name}};
        entry.update(nlohmann::ordered_json(nlohmann::json(file.fingerprint)));
        files.push_back(std::move(entry));
    }
    const nlohmann::ordered_json json{{"settings", sources.settings}, {"files", std::move(files)}};
    folder.write(run_file::sources,
                 json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

RunSources readSources(const RunFolder& folder) {
    const fs::path file = folder.file(run_file::sources);
    const nlohmann::json json = folder.object(run_file::sources);
    RunSources sources;
    try {
        sources.settings = json.at("settings").get<SettingValues>();
        sources.files = json.at("files").get<std::vector<SourceFile>>();
    } catch (const nlohmann::json::exception& failure) {
        throw Error(ErrorKind::Input, sentence("the file is damaged ({})", failure.what()), file.string(),
                    sentence("Restore the run folder from a copy, or start a new run"));
    }
    return sources;
}

bool isFreeSetting(std::string_view key) {
    return isListed(key, freeKeys);
}

SourceDifferences sourceDifferences(const RunSources& was, const RunSources& is) {
    SourceDifferences differences;
    Parts before = partsOf(was.files);
    Parts now = partsOf(is.files);
    for (const auto& [part, files] : before)
        if (!holdTheSame(files, now[part]))
            addPartDifferences(differences.files, part, files, now[part]);
    for (const auto& [part, files] : now)
        if (!before.contains(part))
            addPartDifferences(differences.files, part, {}, files);

    const bool sameFiles = differences.files.empty();
    for (const auto& [key, value] : is.settings) {
        const ProjectKey* known = findProjectKey(key);
        const auto recorded = was.settings.find(key);
        // A key that is newer than the record had its default.
        const std::string old = recorded != was.settings.end() ? recorded->second
                                : known != nullptr             ? defaultText(*known)
                                                               : value;
        const InputKey* input = findInputKey(key);
        const bool namesSameFiles = sameFiles && (isListed(key, modelFileKeys) ||
                                                  (input != nullptr && sayTheSame(*input, old, value)));
        if (old != value && !namesSameFiles && !isListed(key, freeKeys))
            differences.settings.push_back(settingDifference(key, old, value));
    }
    return differences;
}

void refuseChangedSources(const RunFolder& folder, const SourceDifferences& differences) {
    std::vector<Sentence> all = differences.settings;
    std::ranges::copy(differences.files, std::back_inserter(all));
    constexpr std::size_t most = 12;
    const std::size_t left = all.size() > most ? all.size() - most : 0;
    all.resize(all.size() - left);
    const Sentence listed = left > 0 ? sentence("{} and {} more", commaList(all), left) : commaList(all);
    const std::string project = folder.file(run_file::project).string();
    if (differences.files.empty())
        throw Error(ErrorKind::Project, sentence("settings have changed since the run began ({})", listed),
                    project,
                    sentence("Set them back, or start a new run with them: meshreel run {}", project));
    throw Error(
        ErrorKind::Input,
        differences.settings.empty()
            ? sentence("files of the model, adapters or inputs have changed since the run began ({})", listed)
            : sentence(
                  "settings and files of the model, adapters or inputs have changed since the run began ({})",
                  listed),
        folder.path().string(),
        sentence("Put the files back that it began with, or start a new run: meshreel run {}", project));
}

namespace {

// The machine.

// JSON pointers to what decides the bits of a result.
constexpr std::array<std::string_view, 18> decisiveFacts{
    "/meshreel/version",   "/meshreel/commit",
    "/meshreel/compiler",  "/isa",
    "/workers_per_device", "/mesh",
    "/attention",          "/libraries/openblas",
    "/libraries/onednn",   "/precision/products_by",
    "/libraries/glibc",    "/adapters",
    "/gpu/name",           "/gpu/driver",
    "/gpu/encoders",       "/gpu/image_encoder",
    "/gpu/vae_encoder",    "/gpus",
};

/// A commit identifies what was built only when nothing was changed on top of it. The Studio and the runner
/// of one clean commit compute the same bits.
bool tellsTheSource(std::string_view commit) {
    return commit != "unknown" && !commit.ends_with("-dirty");
}

std::string versionText(unsigned packed) {
    return fmt::format("{}.{}.{}", AV_VERSION_MAJOR(packed), AV_VERSION_MINOR(packed),
                       AV_VERSION_MICRO(packed));
}

nlohmann::json libraries() {
    return {
        {"openblas", matmulLibrary()},
        {"onednn", dnnlVersion()},
        {"glibc", gnu_get_libc_version()},
        {"libavformat", versionText(avformat_version())},
        {"libavcodec", versionText(avcodec_version())},
        {"libswscale", versionText(swscale_version())},
        {"icu", U_ICU_VERSION},
        {"yaml-cpp", MESHREEL_YAML_CPP_VERSION},
        {"sentencepiece", MESHREEL_SENTENCEPIECE_VERSION},
        {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
        {"spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
        {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                      NLOHMANN_JSON_VERSION_PATCH)},
    };
}

/// Null for a model without adapters: runs that know of none can be resumed.
nlohmann::json adapterIdentities(const RunPlan& plan) {
    nlohmann::json identities = plan.adapters.empty() ? nlohmann::json() : nlohmann::json::array();
    for (const PlannedAdapter& planned : plan.adapters)
        identities.push_back(fmt::format("transformer {}: {}", planned.expert, planned.adapter->identity()));
    return identities;
}

/// The GPU of this process's device; the first one's computes the encoders. The image encoder and the VAE's
/// are named in runs that have them.
nlohmann::json gpuJson(const RunPlan& plan, std::size_t device) {
    const Placement& placement = plan.placement;
    const ChosenGpu& gpu = placement.gpus[device];
    nlohmann::json json{{"number", gpu.number},
                        {"name", gpu.facts.name},
                        {"driver", gpu.facts.driver},
                        {"vulkan", gpu.facts.vulkan},
                        {"vae", placement.isOnGpu(PlacedPart::VaeDecoder)},
                        {"encoders", placement.isOnGpu(PlacedPart::TextEncoder) && device == 0}};
    if (placement.find(PlacedPart::ImageEncoder) != nullptr)
        json["image_encoder"] = placement.isOnGpu(PlacedPart::ImageEncoder) && device == 0;
    if (placement.find(PlacedPart::VaeEncoder) != nullptr)
        json["vae_encoder"] = placement.isOnGpu(PlacedPart::VaeEncoder);
    return json;
}

}  // namespace

std::string placesOfAdapters(const nlohmann::json& environment) {
    std::string places;
    const auto adapters = environment.find("adapters");
    if (adapters == environment.end() || !adapters->is_array())
        return places;
    for (const nlohmann::json& identity : *adapters) {
        const std::string text = identity.is_string() ? identity.get<std::string>() : std::string();
        places += (places.empty() ? "" : ", ") + text.substr(0, text.find(':'));
    }
    return places;
}

nlohmann::json describeEnvironment(const RunPlan& plan) {
    const MeshShape mesh = plan.layout.shape();
    const bool onGpu = plan.placement.isOnGpu(PlacedPart::Transformer);
    const FlashBlockSizes blocks = onGpu ? FlashBlockSizes() : plan.attentions.self.blocks;
    nlohmann::json environment{
        {"meshreel",
         {{"version", versionNumber()},
          {"commit", versionCommit()},
          {"compiler", versionCompiler()},
          {"build_id", programBuildId()}}},
        {"adapters", adapterIdentities(plan)},
        {"cpu", cpuModelName()},
        {"isa", isaName()},
        {"cpus", availableCpus()},
        {"devices", mesh.devices()},
        {"ranks", plan.ranks},
        {"workers_per_device", plan.workersPerDevice},
        {"mesh",
         {{"data", mesh.data}, {"fsdp", mesh.fsdp}, {"context", mesh.context}, {"tensor", mesh.tensor}}},
        {"attention",
         {{"requested", plan.attention.mode->name},
          {"self", nameOf(plan.attentions.self.kernel)},
          {"cross", nameOf(plan.attentions.text.kernel)},
          {"block_q", blocks.blockQ},
          {"block_kv", blocks.blockKv},
          {"ring", plan.attentions.self.split.ring},
          {"ulysses", plan.attentions.self.split.ulysses}}},
        {"precision", precisionJson(plan)},
        {"placement", placementJson(plan.placement)},
        {"work", runWorkJson(measureWork(plan))},
        {"libraries", libraries()},
    };
    if (onGpu)
        environment["attention"]["blocks_by"] = blocksBy(plan);
    if (!plan.placement.gpusLeft.empty())
        environment["gpus_passed_over"] = passedOverJson(plan.placement.gpusLeft);
    if (plan.placement.hasGpus())
        environment["gpu"] = gpuJson(plan, 0);
    // For a mesh of one device, "gpu" says it all.
    for (std::size_t device = 0; plan.placement.gpus.size() > 1 && device < plan.placement.gpus.size();
         ++device)
        environment["gpus"].push_back(gpuJson(plan, device));
    return environment;
}

namespace {

/// The fact that a run of an earlier version recorded in place of one that it does not know: encoders were
/// where the others of their kind were. Empty for other facts.
std::string_view earlierFact(std::string_view fact) {
    if (fact == "/gpu/vae_encoder")
        return "/gpu/vae";
    return fact == "/gpu/image_encoder" ? "/gpu/encoders" : "";
}

nlohmann::json factOf(const nlohmann::json& environment, std::string_view fact) {
    return environment.value(nlohmann::json::json_pointer{std::string(fact)}, nlohmann::json());
}

}  // namespace

std::vector<std::string> environmentDifferences(const nlohmann::json& was, const nlohmann::json& is) {
    std::vector<std::string_view> facts(decisiveFacts.begin(), decisiveFacts.end());
    if (!tellsTheSource(is.value("/meshreel/commit"_json_pointer, "unknown")))
        facts.emplace_back("/meshreel/build_id");
    std::vector<std::string> differences;
    for (const std::string_view fact : facts) {
        nlohmann::json before = factOf(was, fact);
        const nlohmann::json now = factOf(is, fact);
        if (before.is_null() && !now.is_null() && !earlierFact(fact).empty())
            before = factOf(was, earlierFact(fact));
        if (before != now)
            differences.push_back(fmt::format("{} was {}, is {}", fact.substr(1), before.dump(), now.dump()));
    }
    return differences;
}

}  // namespace meshreel
