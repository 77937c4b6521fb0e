// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/record.h"
#include "engine/base/standard_streams.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/model_download.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/model_offers.h"
#include "engine/kernels/execution.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/inferred_config.h"
#include "engine/planning/model_fit.h"
#include "engine/project/numbers.h"
#include "engine/tensor/dtype.h"
#include "engine/verification/checkpoint_maker.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"
#include "engine/weights/weights_conversion.h"
#include "engine/weights/weights_writer.h"

namespace meshreel {

Action declareModels(CLI::App& app) {
    struct Arguments {
        bool json = false;
        std::string folder;
        bool defaultFolder = false;
    };
    const auto arguments = std::make_shared<Arguments>();
    app.add_flag("--json", arguments->json, "Print the catalogue as one JSON object");
    auto* folder = app.add_option("--set-folder", arguments->folder,
                                  "Keep another models folder for all programs; MESHREEL_MODELS wins over it")
                       ->type_name("DIR");
    app.add_flag("--default-folder", arguments->defaultFolder, "Go back to the default models folder")
        ->excludes(folder);
    return [arguments] {
        if (arguments->defaultFolder || !arguments->folder.empty())
            setModelsFolder(expandTilde(arguments->folder));
        const ModelCatalogue catalogue = scanModels();
        say("{}", arguments->json ? catalogueJson(catalogue).dump(2) + "\n" : catalogueText(catalogue));
        return 0;
    };
}

namespace {

// What can be had.

struct GetArguments {
    std::vector<std::string> ids;
    bool json = false;
    bool dryRun = false;
};

/// An offer beside what this machine has and can hold.
struct OfferLine {
    const ModelOffer* offer = nullptr;
    std::vector<LocatedFile> files;  ///< including those of what it needs
    std::uint64_t bytes = 0;         ///< of all of them
    std::uint64_t missing = 0;
    OfferFit fit;
};

OfferLine lineOf(const ModelOffer& offer, const OffersHere& here, std::uint64_t memory) {
    OfferLine line{.offer = &offer, .files = here.toGet(offer), .fit = {}};
    for (const LocatedFile& file : line.files) {
        line.bytes += file.file->bytes;
        line.missing += file.bytesMissing();
    }
    line.fit = fitOffer(offer, line.missing, memory);
    return line;
}

/// The least of its own files: one that is missing makes the whole missing.
FileState stateOf(const OfferLine& line) {
    FileState state = FileState::Here;
    bool begun = false;
    for (const LocatedFile& file : line.files)
        if (file.offer == line.offer) {
            state = std::min(state, file.state);
            begun = begun || file.state != FileState::Missing;
        }
    return state == FileState::Missing && begun ? FileState::Begun : state;
}

nlohmann::json fileJson(const LocatedFile& file) {
    return {{"offer", file.offer->id},
            {"path", file.file->path},
            {"place", file.file->place.string()},
            {"bytes", file.file->bytes},
            {"exact", file.file->exact},
            {"sha256", file.file->sha256},
            {"state", enumName(file.state)},
            {"bytes_begun", file.bytesBegun},
            {"wrong", file.wrong.text()},
            {"found", file.state == FileState::Missing ? "" : file.path.string()}};
}

nlohmann::json offerJson(const OfferLine& line, const DiskRate& rate) {
    const ModelOffer& offer = *line.offer;
    const std::optional<ModelFit>& memory = line.fit.memory;
    nlohmann::json json{{"id", offer.id},
                        {"title", offer.title},
                        {"kind", enumName(offer.kind)},
                        {"licence", offer.licence},
                        {"licence_page", offer.licencePage},
                        {"repository", offer.repository},
                        {"revision", offer.revision},
                        {"needs", offer.needs},
                        {"state", enumName(stateOf(line))},
                        {"bytes", line.bytes},
                        {"bytes_missing", line.missing},
                        {"fits_disk", line.fit.fitsDisk()},
                        {"memory_bytes", memory ? memory->memory : 0},
                        {"fits_memory", !memory || memory->kind != FitKind::TooLarge},
                        {"files", nlohmann::json::array()}};
    if (memory)
        json.update(fitJson(*memory, rate));
    for (const LocatedFile& file : line.files)
        json["files"].push_back(fileJson(file));
    return json;
}

/// All offers, and what they were compared with.
struct OfferList {
    std::vector<OfferLine> lines;
    std::uint64_t memory = 0;  ///< that is free
    DiskRate rate;
};

nlohmann::json listJson(const OfferList& list) {
    nlohmann::json json{{"folder", downloadFolder().string()},
                        {"disk_free", freeDiskSpace(downloadFolder())},
                        {"disk_bytes_per_second", list.rate.bytesPerSecond},
                        {"disk_rate_measured", list.rate.isMeasured},
                        {"memory_free", list.memory},
                        {"offers", nlohmann::json::array()}};
    for (const OfferLine& line : list.lines)
        json["offers"].push_back(offerJson(line, list.rate));
    return json;
}

void printOffers(const OfferList& list) {
    constexpr const char* form = "{:<28} {:>10} {:>10}  {:<9}  {:<16}  {:<30}  {}\n";
    say(form, "name", "with parts", "to get", "state", "licence", "what it is", "this machine");
    for (const OfferLine& line : list.lines)
        say(form, line.offer->id, formatBytes(line.bytes),
            line.missing == 0 ? "-" : formatBytes(line.missing), enumName(stateOf(line)), line.offer->licence,
            line.offer->title, fitSentence(line.fit, list.rate));
    say("\nmeshreel get NAME downloads what is missing into {} ({} free); {} of memory are free.\n"
        "\"this machine\" is planned as meshreel plan does it, for the size and length that each model "
        "usually\n"
        "makes, in bfloat16.\n",
        withTilde(downloadFolder()), formatBytes(freeDiskSpace(downloadFolder())), formatBytes(list.memory));
    if (std::ranges::any_of(list.lines, [](const OfferLine& line) { return line.fit.readsDisk(); }))
        say("\"streamed\": weights that memory has no room for are read in each step, while others compute; "
            "{}.\n",
            rateSentence(list.rate));
}

int listOffers(const GetArguments& arguments, const OffersHere& here, const DiskRate& rate) {
    OfferList list{.lines = {}, .memory = availableMemory(), .rate = rate};
    for (const ModelOffer& offer : modelOffers())
        list.lines.push_back(lineOf(offer, here, list.memory));
    if (arguments.json)
        say("{}\n", listJson(list).dump(2));
    else
        printOffers(list);
    return 0;
}

/// The files of all that was asked for, each once.
std::vector<LocatedFile> orderOf(const GetArguments& arguments, const OffersHere& here) {
    std::vector<LocatedFile> order;
    for (const std::string& id : arguments.ids)
        for (const LocatedFile& file : here.toGet(requireOffer(id)))
            if (std::ranges::find(order, file.file, &LocatedFile::file) == order.end())
                order.push_back(file);
    return order;
}

std::string whatHappensTo(const LocatedFile& file) {
    std::string size = (file.file->exact ? "" : "about ") + formatBytes(file.file->bytes);
    if (!file.wrong.empty() && file.state != FileState::Here)
        size = fmt::format("(what lies there is not it: {}) {}", file.wrong, size);
    switch (file.state) {
        case FileState::Missing:
            return size + " to download";
        case FileState::Begun:
            return fmt::format("{}, {} of them here", size, formatBytes(file.bytesBegun));
        case FileState::Elsewhere:
            return fmt::format("{}, shared with {}", size, withTilde(file.path));
        case FileState::Here:
            return fmt::format("{}, here: {}", size, withTilde(file.path));
    }
    return size;
}

/// Licences first: nothing is downloaded before they were shown.
void printOrder(const std::vector<LocatedFile>& order) {
    const ModelOffer* shown = nullptr;
    std::uint64_t missing = 0;
    for (const LocatedFile& file : order) {
        if (file.offer != shown)
            say("{} ({})\n  licence  {}, {}\n  from     {}\n", file.offer->title, file.offer->id,
                file.offer->licence, file.offer->licencePage, file.offer->repository);
        shown = file.offer;
        say("  {}  {}\n", file.file->place.string(), whatHappensTo(file));
        missing += file.bytesMissing();
    }
    say("To download: {}, into {} ({} free)\n", formatBytes(missing), withTilde(downloadFolder()),
        formatBytes(freeDiskSpace(downloadFolder())));
    std::fflush(stdout);
}

/// A line that is drawn anew on a terminal; elsewhere one now and then.
class DownloadLine {
  public:
    ~DownloadLine() {
        if (m_isTerminal && m_drawn)
            writeRemark("\r\033[K");
    }

    void operator()(const DownloadProgress& progress) {
        constexpr std::chrono::seconds pause{10};
        const auto now = std::chrono::steady_clock::now();
        if (!m_isTerminal && now - m_last < pause)
            return;
        m_last = now;
        m_drawn = true;
        const double part = progress.total == 0 ? 0
                                                : 100.0 * static_cast<double>(progress.done) /
                                                      static_cast<double>(progress.total);
        say(stderr, "{}{:.0f} %, {} of {}, {}/s{}: {}{}", m_isTerminal ? "\r" : "", part,
            formatBytes(progress.done), formatBytes(progress.total),
            formatBytes(static_cast<std::size_t>(progress.bytesPerSecond)),
            progress.secondsLeft ? ", " + formatDuration(*progress.secondsLeft) + " left" : "", progress.file,
            m_isTerminal ? "" : "\n");
        if (m_isTerminal)
            writeRemark("\033[K");
        std::fflush(stderr);
    }

  private:
    bool m_isTerminal = ::isatty(STDERR_FILENO) != 0;
    bool m_drawn = false;
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

nlohmann::json gotJson(const std::vector<GotFile>& got) {
    nlohmann::json files = nlohmann::json::array();
    for (const GotFile& file : got)
        files.push_back({{"path", file.path.string()},
                         {"origin", enumName(file.origin)},
                         {"bytes", file.bytes},
                         {"sha256", file.sha256},
                         {"compared", file.compared},
                         {"first_sha256", file.firstSha256},
                         {"replaced", file.replaced.string()},
                         {"commit", file.commit}});
    return files;
}

void printGot(const GotFile& file) {
    constexpr auto words = std::to_array<std::string_view>({"was here", "shared", "downloaded"});
    say("{}: {}{}\n", withTilde(file.path), words.at(static_cast<std::size_t>(file.origin)),
        file.origin == FileOrigin::WasHere ? ""
        : file.compared                    ? ", SHA-256 compared"
                                           : ", no hash is published: its SHA-256 is kept beside it");
    if (!file.firstSha256.empty())
        say("  It is not what the first download was: SHA-256 {} then, {} now\n", file.firstSha256,
            file.sha256);
    if (!file.replaced.empty())
        say("  What lay there was not the published file. It is now {}\n", withTilde(file.replaced));
}

/// How the models of an order will run here, in words and as lines for a project.
void printFits(const GetArguments& arguments, const DiskRate& rate) {
    for (const std::string& id : arguments.ids)
        if (const OfferFit fit = fitOffer(requireOffer(id), 0, availableMemory()); fit.memory)
            say("{} on this machine: {}\n", id, fitSentence(fit, rate));
}

std::string linesOf(const ModelOffer& offer, const OffersHere& here) {
    const OfferFit fit = fitOffer(offer, 0, availableMemory());
    return projectLines(offer, here.locate(offer)) + (fit.memory ? fitLines(*fit.memory) : "");
}

int getOffers(const GetArguments& arguments, const OffersHere& here, const DiskRate& rate) {
    const std::vector<LocatedFile> order = orderOf(arguments, here);
    if (arguments.dryRun && arguments.json) {
        nlohmann::json files = nlohmann::json::array();
        for (const LocatedFile& file : order)
            files.push_back(fileJson(file));
        say("{}\n", nlohmann::json{{"files", files}}.dump(2));
        return 0;
    }
    if (!arguments.json) {
        printOrder(order);
        printFits(arguments, rate);
        std::fflush(stdout);
    }
    if (arguments.dryRun)
        return 0;
    const Interrupt interrupt;
    std::vector<GotFile> got;
    {
        DownloadLine line;
        got = getFiles(order, usualServer(), std::ref(line), interrupt.token());
    }
    std::string lines;
    const OffersHere now(scanModels());
    for (const std::string& id : arguments.ids)
        lines += linesOf(requireOffer(id), now);
    if (arguments.json) {
        say("{}\n", nlohmann::json{{"files", gotJson(got)}, {"project", lines}}.dump(2));
        return 0;
    }
    for (const GotFile& file : got)
        printGot(file);
    if (!lines.empty())
        say("In a project:\n{}", lines);
    return 0;
}

}  // namespace

Action declareGet(CLI::App& app) {
    const auto arguments = std::make_shared<GetArguments>();
    app.add_option("NAME", arguments->ids,
                   "What to download, with the parts that it needs; without it: the list");
    app.add_flag("--json", arguments->json, "Print one JSON object");
    app.add_flag("--dry-run", arguments->dryRun, "Print what would be downloaded, and ask no server");
    return [arguments] {
        const ModelCatalogue catalogue = scanModels();
        const DiskRate rate = modelDiskRate(catalogue);
        const OffersHere here(catalogue);
        return arguments->ids.empty() ? listOffers(*arguments, here, rate)
                                      : getOffers(*arguments, here, rate);
    };
}

namespace {

namespace fs = std::filesystem;

struct LayoutName {
    std::string_view name;
    TargetLayout layout;
};
constexpr std::array layoutNames{LayoutName{"diffusers", TargetLayout::Diffusers},
                                 LayoutName{"original", TargetLayout::Original},
                                 LayoutName{"comfy", TargetLayout::Comfy}};
constexpr const char* diffusersWeights = "diffusion_pytorch_model.safetensors";
constexpr const char* transformersWeights = "model.safetensors";
constexpr int jsonIndent = 2;
constexpr std::size_t shownNames = 8;

struct ConvertArguments {
    std::string source;
    std::string destination;
    std::string layout;
    std::string numbers;
};

bool endsLikeAFile(const fs::path& path) {
    return path.extension() == ".safetensors" || path.extension() == ".gguf";
}

/// GGUF files have the original names everywhere.
TargetLayout layoutOf(const ConvertArguments& arguments, const fs::path& destination) {
    if (!arguments.layout.empty())
        return std::ranges::find(layoutNames, arguments.layout, &LayoutName::name)->layout;
    return formatOfName(destination) == WeightsFormat::Gguf ? TargetLayout::Original
                                                            : TargetLayout::Diffusers;
}

/// Replaces a destination that is not a file name by a component's folder in diffusers layout.
fs::path fileOf(const fs::path& destination, const Checkpoint& source) {
    if (endsLikeAFile(destination))
        return destination;
    std::error_code ignored;
    fs::create_directories(destination, ignored);
    const auto part = source.layout().part;
    const bool transformers =
        part == ModelPart::TextEncoder || part == ModelPart::ImageEncoder || part == ModelPart::AudioEncoder;
    return destination / (transformers ? transformersWeights : diffusersWeights);
}

void requireOther(const Checkpoint& source, const fs::path& file) {
    std::error_code ignored;
    for (const TensorFile& shard : source.shards())
        if (fs::equivalent(shard.path(), file, ignored))
            throw Error(ErrorKind::Project, "source and destination are the same file", withTilde(file),
                        "Choose another destination");
}

void showProgress(std::uint64_t done, std::uint64_t total) {
    if (::isatty(STDERR_FILENO) == 1)
        say(stderr, "\r{} of {} written{}", formatBytes(done), formatBytes(total),
            done == total ? ", reading back\n" : "");
}

std::string reportText(const ConversionReport& report, const fs::path& file) {
    std::string text =
        fmt::format("{}: {}, read back and compared\n", withTilde(file), formatBytes(report.bytes));
    for (const auto& [type, loss] : report.losses)
        text += loss.largest == 0
                    ? fmt::format("  {} tensors as {}: exact\n", loss.tensors, type)
                    : fmt::format(
                          "  {} tensors as {}: differ by {:.3g} at most, {:.2g} % of their size in the "
                          "mean (root of squares)\n",
                          loss.tensors, type, loss.largest, 100 * loss.relative);
    if (report.left.empty())
        return text;
    const std::vector<std::string> shown(
        report.left.begin(),
        report.left.begin() + std::min(std::ssize(report.left), static_cast<std::ptrdiff_t>(shownNames)));
    return text + fmt::format("  left out, for the layout has no names for them: {} ({}{})\n",
                              report.left.size(), fmt::join(shown, ", "),
                              report.left.size() > shownNames ? ", …" : "");
}

int convert(const ConvertArguments& arguments) {
    const Checkpoint source = Checkpoint::open(expandTilde(arguments.source));
    const fs::path destination = expandTilde(arguments.destination);
    const fs::path file = fileOf(destination, source);
    requireOther(source, file);
    const Interrupt interrupt;
    ConversionOrder order{
        .layout = layoutOf(arguments, file), .progress = showProgress, .stop = interrupt.token()};
    if (!arguments.numbers.empty())
        order.numbers = *targetNumbers(arguments.numbers);
    const ConversionReport report = convertWeights(source, file, order);
    if (!endsLikeAFile(destination) && source.layout().part)
        writeFileAtomically(destination / "config.json", configOf(source).dump(jsonIndent) + "\n");
    say("{}", reportText(report, file));
    return 0;
}

}  // namespace

Action declareConvert(CLI::App& app) {
    const auto arguments = std::make_shared<ConvertArguments>();
    std::vector<std::string> layouts;
    for (const LayoutName& row : layoutNames)
        layouts.emplace_back(row.name);
    std::vector<std::string> types;
    std::vector<std::string> quantisations;
    for (const std::string_view name : targetNumberNames()) {
        const bool blocks = isQuantised(targetNumbers(name)->type.value()) && !name.starts_with("fp8");
        (blocks ? quantisations : types).emplace_back(name);
    }
    app.add_option("SOURCE", arguments->source,
                   "A file of weights (safetensors, GGUF, .pth), an index of shards, or a component's folder")
        ->required();
    app.add_option(
           "DESTINATION", arguments->destination,
           "A file (.safetensors or .gguf), or a folder for diffusers' weights with their config.json")
        ->required();
    app.add_option("--layout", arguments->layout,
                   "Names of the tensors: diffusers, original, or comfy (original behind "
                   "model.diffusion_model.); of GGUF original unless told otherwise")
        ->check(CLI::IsMember(layouts));
    auto* dtype = app.add_option("--dtype", arguments->numbers,
                                 "Number type; fp8 of the layers' matrices only. Without it: the source's")
                      ->check(CLI::IsMember(types));
    app.add_option("--quantise", arguments->numbers, "Blocks of GGUF, of the layers' matrices")
        ->check(CLI::IsMember(quantisations))
        ->excludes(dtype);
    return [arguments] { return convert(*arguments); };
}

namespace {

struct WeightType {
    std::string_view name;
    DType dtype;
};
constexpr std::array weightTypes{WeightType{"bf16", DType::BF16}, WeightType{"f32", DType::F32},
                                 WeightType{"f16", DType::F16}};

struct MakeArguments {
    std::string architecture;
    std::string dtype;
    std::optional<std::int64_t> layers;
    std::vector<std::string> parts;
    bool sparse = false;
    Seed seed = 0;
    std::string folder;
};

std::string_view nameOfWeightType(DType dtype) {
    return std::ranges::find(weightTypes, dtype, &WeightType::dtype)->name;
}

std::string architectureTable() {
    std::string text = fmt::format("{:<28} {:<14} {:>7} {:>8} {:>10}  {}\n", "architecture", "part",
                                   "tensors", "released", "bytes", "what it is");
    for (const Architecture& architecture : architectures()) {
        const std::vector<TensorSpec> tensors = tensorsOf(architecture);
        std::size_t bytes = 0;
        for (const TensorSpec& tensor : tensors)
            bytes += tensor.bytes();
        text +=
            fmt::format("{:<28} {:<14} {:>7} {:>8} {:>10}  {}\n", architecture.name, architecture.family.part,
                        tensors.size(), nameOfWeightType(architecture.family.released), formatBytes(bytes),
                        architecture.help);
    }
    return text;
}

CheckpointOrder toOrder(const MakeArguments& arguments) {
    CheckpointOrder order{.architecture = &requireArchitecture(arguments.architecture),
                          .layers = arguments.layers,
                          .sparse = arguments.sparse,
                          .seed = arguments.seed ? *arguments.seed : drawSeed()};
    if (!arguments.dtype.empty())
        order.dtype = std::ranges::find(weightTypes, arguments.dtype, &WeightType::name)->dtype;
    return order;
}

void showTensor(std::size_t done, std::size_t bytes) {
    say(stderr, "\r{} of {}{}", formatBytes(done), formatBytes(bytes), done == bytes ? "\n" : "  ");
    std::fflush(stderr);
}

int make(const MakeArguments& arguments) {
    if (arguments.architecture == "list") {
        say("{}", architectureTable());
        return 0;
    }
    const CheckpointOrder order = toOrder(arguments);
    if (arguments.folder.empty())
        throw Error(ErrorKind::Project, "no folder is given", "--output", "Say where: -o DIR");
    const Interrupt interrupt;
    WorkerPool workers({.workers = availableCpus()});
    const Execution execution{workers, interrupt.token()};
    const MakeProgress progress = ::isatty(STDERR_FILENO) != 0 ? showTensor : MakeProgress();
    const std::filesystem::path folder = expandTilde(arguments.folder);
    const MadeCheckpoint made = arguments.parts.empty()
                                    ? makeCheckpoint(execution, order, folder, progress)
                                    : makeModel(execution, order, arguments.parts, folder, progress);
    say("{}: {} tensors, {} in {} file{}{}{}\n", arguments.folder, made.tensors, formatBytes(made.bytes),
        made.files, made.files == 1 ? "" : "s", order.sparse ? ", zeros that take no disk" : "",
        arguments.seed ? std::string() : fmt::format(", seed {}", order.seed));
    return 0;
}

}  // namespace

Action declareMakeCheckpoint(CLI::App& app) {
    const auto arguments = std::make_shared<MakeArguments>();
    std::vector<std::string> types;
    for (const WeightType& type : weightTypes)
        types.emplace_back(type.name);
    app.add_option("--arch", arguments->architecture, "The model; 'list' prints all that there are")
        ->required()
        ->type_name("NAME");
    app.add_option("--dtype", arguments->dtype, "Type of the weights; as released when not given")
        ->check(CLI::IsMember(types));
    app.add_option("--layers", arguments->layers, "Only the first layers")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    app.add_option("--parts", arguments->parts,
                   fmt::format("Make a whole model that a project can name, of these components: {}; only "
                               "around wan2.1-t2v transformers",
                               fmt::join(modelParts(), ",")))
        ->delimiter(',')
        ->type_name("LIST");
    app.add_flag("--sparse", arguments->sparse, "Zeros that take no disk, in no time");
    addSeedOption(app, arguments->seed, "Of the random numbers; -1 draws a random one and prints it");
    app.add_option("-o,--output", arguments->folder, "New folder for config.json and the weights")
        ->type_name("DIR");
    app.footer([] { return "Architectures:\n" + architectureTable(); });
    return [arguments] { return make(*arguments); };
}

}  // namespace meshreel
