// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/rank_work.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/catalogue/asked_parts.h"
#include "engine/estimates/video_shape.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/pipelines/generation.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/runs/rank_traces.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_sources.h"
#include "engine/weights/mapped_file.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

// The model.

/// What Meshreel reads of a model: configs, weights, tokenizers.
constexpr std::array<std::string_view, 7> extensions{".json", ".safetensors", ".model", ".txt",
                                                     ".gguf", ".pth",         ".bin"};

struct ModelFile {
    std::string name;  ///< below the model's folder
    std::size_t size = 0;
};

std::vector<ModelFile> filesOf(const fs::path& folder) {
    std::vector<ModelFile> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() &&
            std::ranges::find(extensions, entry.path().extension().string()) != extensions.end())
            files.push_back({entry.path().lexically_relative(folder).generic_string(), entry.file_size()});
    std::ranges::sort(files, {}, &ModelFile::name);
    return files;
}

std::string manifestText(const std::vector<ModelFile>& files) {
    nlohmann::json list = nlohmann::json::array();
    for (const ModelFile& file : files)
        list.push_back({{"name", file.name}, {"size", file.size}});
    return list.dump();
}

std::vector<ModelFile> filesFrom(const std::string& manifest) {
    std::vector<ModelFile> files;
    for (const nlohmann::json& file : nlohmann::json::parse(manifest))
        files.push_back({file.at("name").get<std::string>(), file.at("size").get<std::size_t>()});
    return files;
}

/// Calls use(offset, piece) for every piece of a file of `size` bytes.
template <typename Use>
void forEachPiece(std::size_t size, const Use& use) {
    constexpr std::size_t pieceBytes = 16UL << 20U;
    std::vector<std::byte> piece(std::min(size, pieceBytes));
    for (std::size_t offset = 0; offset < size; offset += pieceBytes)
        use(offset, std::span(piece).first(std::min(pieceBytes, size - offset)));
}

void sendFile(MpiSession& ranks, const fs::path& path, std::size_t size) {
    const auto map = MappedFile::open(path);
    forEachPiece(size, [&](std::size_t offset, std::span<std::byte> piece) {
        map->throwIfShrunk();
        std::ranges::copy(map->bytes().subspan(offset, piece.size()), piece.begin());
        ranks.broadcast(piece);
    });
}

void passOver(MpiSession& ranks, std::size_t size) {
    forEachPiece(size, [&](std::size_t, std::span<std::byte> piece) { ranks.broadcast(piece); });
}

/// Receives a file into one that lives in memory; its descriptor.
int receiveFile(MpiSession& ranks, const ModelFile& file) {
    const int descriptor = ::memfd_create(file.name.c_str(), MFD_CLOEXEC);
    const auto require = [&](bool good) {
        if (good)
            return;
        const int reason = errno;
        if (descriptor >= 0)
            ::close(descriptor);
        throw Error(
            ErrorKind::Resources,
            sentence("{} bytes of the model do not fit into memory ({})", file.size, std::strerror(reason)),
            file.name, sentence("Copy the model to every host and leave --broadcast-weights out"));
    };
    require(descriptor >= 0);
    forEachPiece(file.size, [&](std::size_t, std::span<std::byte> piece) {
        try {
            ranks.broadcast(piece);
        } catch (...) {
            ::close(descriptor);
            throw;
        }
        std::span<const std::byte> rest = piece;
        while (!rest.empty()) {
            const ssize_t written = ::write(descriptor, rest.data(), rest.size());
            require(written > 0);
            rest = rest.subspan(static_cast<std::size_t>(written));
        }
    });
    return descriptor;
}

fs::path makeTemporaryFolder() {
    std::string pattern = (temporaryFilesFolder() / "meshreel-model-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw Error(ErrorKind::Resources,
                    sentence("no temporary folder could be made ({})", std::strerror(errno)), pattern,
                    sentence("Set TMPDIR to a folder that can be written to"));
    return pattern;
}

}  // namespace

BroadcastModel::BroadcastModel(MpiSession& ranks, const fs::path& folder, Copies copies) {
    const bool isSource = ranks.rank() == 0;
    const std::vector<ModelFile> files =
        filesFrom(ranks.broadcastText(isSource ? manifestText(filesOf(folder)) : std::string()));
    m_folder = ranks.broadcastText(folder.string());
    const bool canRead = copies == Copies::OnePerOtherHostRank && ranks.host(ranks.rank()) == ranks.host(0);
    if (!isSource && !canRead)
        m_folder = m_temporary = makeTemporaryFolder();
    for (const ModelFile& file : files) {
        if (isSource) {
            sendFile(ranks, folder / file.name, file.size);
        } else if (canRead) {
            passOver(ranks, file.size);
        } else {
            m_files.push_back(receiveFile(ranks, file));
            const fs::path link = m_folder / file.name;
            fs::create_directories(link.parent_path());
            std::error_code failure;
            fs::create_symlink(fmt::format("/proc/self/fd/{}", m_files.back()), link, failure);
            if (failure)
                throw Error(ErrorKind::Resources,
                            sentence("the model's files cannot be put together ({})", failure.message()),
                            m_folder.string(), sentence("Set TMPDIR to a folder on a disk that keeps links"));
        }
    }
}

BroadcastModel::~BroadcastModel() {
    for (const int file : m_files)
        ::close(file);
    std::error_code ignored;
    if (!m_temporary.empty())
        fs::remove_all(m_temporary, ignored);
}

RankFailureMark::RankFailureMark(MpiSession* ranks, const fs::path& folder) : m_ranks(ranks) {
    if (m_ranks == nullptr)
        return;
    m_ranks->observe([folder](const MeshFailure& failure) {
        if (failure.cancelled)
            markEndingRun(folder, RunStatus::Cancelled, sentence("Cancelled."));
        else
            markEndingRun(folder, RunStatus::Failed, toSentence(failure));
    });
}

RankFailureMark::~RankFailureMark() {
    if (m_ranks != nullptr)
        m_ranks->observe({});
}

namespace {

// The work.

constexpr std::string_view noCall;  // the ranks may go

/// What rank 0 sends the others before a generation.
struct RankCall {
    std::string project;  ///< YAML with every key
    int devices = 0;
    int workers = 0;
    int stepsDone = 0;
    std::string folder;                 ///< of the run
    std::vector<PictureSize> pictures;  ///< RunTask::pictures: other hosts may not have their files
    std::vector<SourceFile> files;      ///< of rank 0's model and adapters; none if it gives them to all
};

std::string toText(const RankCall& call) {
    nlohmann::json pictures = nlohmann::json::array();
    for (const PictureSize& picture : call.pictures)
        pictures.push_back({{"height", picture.height}, {"width", picture.width}});
    return nlohmann::json{{"project", call.project}, {"devices", call.devices},
                          {"workers", call.workers}, {"steps_done", call.stepsDone},
                          {"folder", call.folder},   {"pictures", std::move(pictures)},
                          {"files", call.files}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RankCall callFrom(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    std::vector<PictureSize> pictures;
    for (const nlohmann::json& picture : json.at("pictures"))
        pictures.push_back({.height = picture.at("height").get<std::int64_t>(),
                            .width = picture.at("width").get<std::int64_t>()});
    return {.project = json.at("project").get<std::string>(),
            .devices = json.at("devices").get<int>(),
            .workers = json.at("workers").get<int>(),
            .stepsDone = json.at("steps_done").get<int>(),
            .folder = json.at("folder").get<std::string>(),
            .pictures = std::move(pictures),
            .files = json.at("files").get<std::vector<SourceFile>>()};
}

/// Throws Error{Input} when a path of rank 0's leads to something else on this host: the video would be of no
/// model.
void requireSameModel(const std::vector<SourceFile>& ofRank0, const std::vector<SourceFile>& own) {
    for (const SourceFile& file : ofRank0)
        if (std::ranges::find(own, file) == own.end())
            throw Error(ErrorKind::Input,
                        sentence("this rank reads other weights than rank 0: {} of {} differs or is missing",
                                 file.name, file.part),
                        {}, sentence("Copy rank 0's model to this host, or set broadcast_weights: true"));
}

/// The model that rank 0 gives to all, when the project says so.
std::unique_ptr<BroadcastModel> broadcastWhenAsked(MpiSession& ranks, const Project& project,
                                                   const fs::path& folder) {
    return project.broadcastWeights ? std::make_unique<BroadcastModel>(ranks, folder) : nullptr;
}

void generateAsFollower(const RunOptions& options, const RankCall& call, const StopToken& stop) {
    RunOptions own = options;
    own.devices = call.devices;
    if (own.workers == 0)
        own.workers = call.workers;
    Project project = parseProject(call.project, "rank 0").project;
    if (!project.speech.empty())
        project.lengthBySpeech = false;  // num_frames is what rank 0 made of it, whatever file is here
    const auto broadcast = broadcastWhenAsked(*options.ranks, project, {});
    if (broadcast) {
        forgetParts(project);  // they are in the folder
        project.model = broadcast->folder().string();
    }
    PlanOptions planning = toPlanOptions(own);
    planning.pictures = call.pictures;
    const PlanPtr plan = makePlan(project, planning);
    if (!broadcast)
        requireSameModel(call.files, modelSources(*plan, stop));
    DeviceMesh mesh(rankMeshOptions(*plan, own));
    GenerationStart start;
    if (call.stepsDone > 0)
        start.resumeFrom = SamplerSnapshot{call.stepsDone, {}, {}};
    RankTrace traced(rankTitle(*options.ranks));
    static_cast<void>(generate({mesh, stop, &traced.trace, options.caches ? &*options.caches : nullptr},
                               *plan, start, ignoreEvent));
    static_cast<void>(gatherTraces(mesh, traced));
}

/// On another rank, while it exists: writes the death of rank 0 into its run folder, as far as that can be
/// reached from here.
class AbandonedRunMark {
  public:
    AbandonedRunMark(MpiSession& ranks, const fs::path& folder) : m_ranks(ranks) {
        m_ranks.observe([folder](const MeshFailure& failure) {
            if (failure.rank == 0 && !failure.cancelled)
                markAbandonedRun(folder, toSentence(failure));
        });
    }

    ~AbandonedRunMark() { m_ranks.observe({}); }

    AbandonedRunMark(const AbandonedRunMark&) = delete;
    AbandonedRunMark& operator=(const AbandonedRunMark&) = delete;

  private:
    MpiSession& m_ranks;
};

/// Does `work`; when it throws, reports why to the other ranks.
template <typename Work>
auto tellingRanks(MpiSession& ranks, const Work& work) {
    try {
        return work();
    } catch (...) {
        ranks.fail(describeFailure(noDevice, std::current_exception()));
        throw;
    }
}

}  // namespace

PlanOptions toPlanOptions(const RunOptions& options) {
    PlanOptions planning;
    planning.devices = options.devices;
    planning.workers = options.workers;
    planning.oversubscribe = options.oversubscribe;
    if (options.ranks != nullptr) {
        planning.ranks = options.ranks->ranks();
        planning.rank = options.ranks->rank();
    }
    return planning;
}

void takeRanksPart(DeviceMeshOptions& options, MpiSession& ranks) {
    ranks.setDevices(options.layout.devices(), options.stallTimeout);
    options.localDevices = options.layout.devices() / ranks.ranks();
    options.firstDevice = ranks.rank() * options.localDevices;
    options.remote = &ranks;
    options.sharingProcesses = 0;
    for (int rank = 0; rank < ranks.ranks(); ++rank) {
        if (rank == ranks.rank())
            options.sharingIndex = options.sharingProcesses;
        if (ranks.host(rank) == ranks.host(ranks.rank()))
            ++options.sharingProcesses;
    }
}

DeviceMeshOptions rankMeshOptions(const RunPlan& plan, const RunOptions& options) {
    DeviceMeshOptions mesh = meshOptions(plan);
    mesh.lowPriority = options.lowPriority;
    mesh.pinThreads = plan.layout.devices() > 1;
    if (options.ranks == nullptr)
        return mesh;
    takeRanksPart(mesh, *options.ranks);
    return mesh;
}

std::unique_ptr<BroadcastModel> callOtherRanks(const RunPlan& plan, const RunOptions& options, int stepsDone,
                                               const fs::path& folder) {
    if (options.ranks == nullptr)
        return nullptr;
    const RankCall call{
        .project = resolvedYaml(plan.project),
        .devices = plan.layout.devices(),
        .workers = options.workers,
        .stepsDone = stepsDone,
        .folder = folder.string(),
        .pictures = plan.pictures,
        .files = plan.project.broadcastWeights ? std::vector<SourceFile>() : modelSources(plan, {})};
    static_cast<void>(options.ranks->broadcastText(toText(call)));
    return broadcastWhenAsked(*options.ranks, plan.project, plan.modelFolder);
}

RunOutcome leadRanks(const RunOptions& options, const std::function<RunOutcome()>& work) {
    if (options.ranks == nullptr)
        return work();
    return tellingRanks(*options.ranks, [&] {
        RunOutcome outcome = work();
        static_cast<void>(options.ranks->broadcastText(noCall));
        return outcome;
    });
}

void followRun(const RunOptions& options, const StopToken& stop) {
    tellingRanks(*options.ranks, [&] {
        for (std::string text; !(text = options.ranks->broadcastText({})).empty();) {
            const RankCall call = callFrom(text);
            const AbandonedRunMark mark(*options.ranks, call.folder);
            generateAsFollower(options, call, stop);
        }
    });
}

}  // namespace meshreel
