// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/video_service.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/held_file.h"
#include "engine/base/limits.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/estimates/prediction.h"
#include "engine/media/video_writer.h"
#include "engine/planning/plan_json.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_folder.h"
#include "engine/serve/capabilities.h"
#include "engine/serve/client_checks.h"
#include "engine/serve/run_archive.h"
#include "engine/serve/video_order.h"

namespace meshreel {
namespace {

// Status codes of HTTP that answers here have.
constexpr unsigned partialContent = 206;
constexpr unsigned badRequest = 400;
constexpr unsigned notFound = 404;
constexpr unsigned methodNotAllowed = 405;
constexpr unsigned conflict = 409;
constexpr unsigned rangeOutside = 416;
constexpr unsigned tooManyRequests = 429;
constexpr unsigned serverError = 500;

constexpr std::chrono::seconds streamPatience{10};  ///< after which a stream shows that it lives
constexpr std::chrono::hours inboxPatience{1};      ///< for requests that another server is taking in

constexpr std::string_view idPrefix = "video_";
constexpr std::string_view videosPath = "/v1/videos";
constexpr std::string_view runsPath = "/meshreel/v1/runs";
constexpr std::string_view jsonType = "application/json";

WebAnswer jsonAnswer(const nlohmann::ordered_json& json) {
    WebAnswer answer;
    answer.body = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    return answer;
}

WebAnswer unknownPath() {
    return webError(notFound, "not_found", "There is nothing at this path");
}

WebAnswer unknownVideo() {
    return webError(notFound, "video_not_found", "The queue has no such video");
}

WebAnswer goneFile(std::string_view what) {
    return webError(notFound, "file_not_found", what);
}

WebAnswer fullQueue() {
    WebAnswer answer = webError(tooManyRequests, "queue_full",
                                "The queue is full. Try again later, or delete videos that are done");
    answer.headers.emplace_back("Retry-After", "60");
    return answer;
}

WebAnswer wrongMethod(std::string_view allowed) {
    WebAnswer answer = webError(methodNotAllowed, "method_not_allowed", "This path takes other methods");
    answer.headers.emplace_back("Allow", allowed);
    return answer;
}

std::string publicId(const QueuedRun& run) {
    return std::string(idPrefix) + run.id;
}

/// The id of a run, as requests name it; empty for any other text.
std::string ownId(std::string_view text) {
    if (!text.starts_with(idPrefix))
        return {};
    text.remove_prefix(idPrefix.size());
    const bool isId = std::ranges::all_of(
        text, [](char each) { return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'f'); });
    return isId ? std::string(text) : std::string();
}

bool hasEnded(const QueuedRun& run) {
    return run.state != QueuedRun::State::Waiting && run.state != QueuedRun::State::Running;
}

std::string_view statusName(QueuedRun::State state) {
    switch (state) {
        case QueuedRun::State::Waiting:
            return "queued";
        case QueuedRun::State::Running:
            return "in_progress";
        case QueuedRun::State::Done:
            return "completed";
        case QueuedRun::State::Cancelled:
        case QueuedRun::State::Failed:
            return "failed";
    }
    return "failed";
}

/// One answer for all that is wrong: the first of it in OpenAI's form, and the whole list beside it.
WebAnswer problemsAnswer(const std::vector<Problem>& problems) {
    const auto first = std::ranges::find(problems, Severity::Error, &Problem::severity);
    const Problem& worst = first == problems.end() ? problems.front() : *first;
    const std::string_view code = worst.id == ProblemId() ? "invalid_value" : worst.id.name();
    WebAnswer answer =
        webError(badRequest, code, worst.text(), worst.key.empty() ? worst.place.file : worst.key);
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(std::get<std::string>(answer.body));
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Problem& problem : problems)
        list.push_back(problem.text());
    json["error"]["problems"] = std::move(list);
    answer.body = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    return answer;
}

/// Writes the files that a request held in its text beside those of its form.
void writeInline(const std::vector<InlineFile>& files, WebRequest& request,
                 const std::filesystem::path& inbox) {
    for (const InlineFile& file : files) {
        if (request.uploads.empty()) {
            const std::filesystem::path folder = inbox / newRunId();
            std::filesystem::create_directories(folder);
            request.uploads = folder;
        }
        const std::filesystem::path path =
            request.uploads / (std::to_string(request.files.size()) + file.extension);
        writeFileAtomically(path, file.bytes);
        request.files.push_back({.field = file.key, .name = file.key, .path = path});
    }
}

/// The key of a project whose value is a file that the form has under a field.
std::string_view keyOfField(std::string_view field) {
    const auto reference = std::ranges::find(referenceFields(), field, &VideoField::field);
    return reference == referenceFields().end() ? field : reference->key;
}

/// Files of a form by the names that the client has for them.
NamedUploads uploadsOf(const WebRequest& request) {
    NamedUploads uploads;
    for (const UploadedFile& file : request.files)
        uploads.insert_or_assign(file.name, file.path);
    return uploads;
}

/// Gives a project the files that a form has under fields of its keys. Returns the names that it has for
/// them.
NamedUploads takeFiles(Project& project, const WebRequest& request, std::vector<Problem>& problems) {
    NamedUploads uploads = uploadsOf(request);
    std::map<const ProjectKey*, std::string> values;
    for (const UploadedFile& file : request.files) {
        const ProjectKey* const key = findProjectKey(keyOfField(file.field));
        if (key == nullptr || findInputKey(key->name) == nullptr) {
            problems.push_back(
                atPlace(file.field, Problem{.message = sentence("No field of this name is a file"),
                                            .fixes = byHand(sentence("Name it after a key"))}));
            continue;
        }
        std::string& value = values[key];
        const std::string name = fmt::format("{}/{}", key->name, uploads.size());  // unlike any client's
        value += (value.empty() ? "" : ", ") + name;
        uploads.insert_or_assign(name, file.path);
    }
    for (const auto& [key, value] : values)
        if (std::optional<Problem> problem = trySetFromText(project, *key, value))
            problems.push_back(atKey(key->name, std::move(*problem)));
    return uploads;
}

/// Returns whether a form brings the text of a project.
bool hasProjectPart(const WebRequest& request) {
    return request.fields.contains("project") ||
           std::ranges::find(request.files, std::string_view("project"), &UploadedFile::field) !=
               request.files.end();
}

/// The text of a project that a request brings: its body, or the field or file "project" of its form. Throws
/// Error{Project} without one.
std::string projectTextOf(const WebRequest& request) {
    if (const auto field = request.fields.find("project"); field != request.fields.end())
        return field->second;
    const auto file = std::ranges::find(request.files, std::string_view("project"), &UploadedFile::field);
    if (file != request.files.end())
        return readFile(file->path, Limit::Project);
    if (request.body.empty())
        throw Error(ErrorKind::Project, sentence("the request has no project"), "project",
                    sentence("Send it as the body, or as the field \"project\" of a form"));
    return request.body;
}

Project projectOfText(const WebRequest& request) {
    const LoadedProject loaded = parseProject(projectTextOf(request), "project.yaml");
    return projectFromNetwork(loaded.project, uploadsOf(request));
}

Project projectOfFields(WebRequest& request, const std::filesystem::path& inbox) {
    WebFields fields = request.fields;
    if (fields.empty() && !request.body.empty())
        fields = fieldsOfJson(request.body);
    const VideoOrder order = readVideoOrder(fields);
    writeInline(order.files, request, inbox);
    Project project;
    std::vector<Problem> problems;
    for (const KeyChange& change : order.changes)
        if (std::optional<Problem> problem =
                trySetFromText(project, *findProjectKey(change.key), change.value))
            problems.push_back(atKey(change.key, std::move(*problem)));
    const NamedUploads uploads = takeFiles(project, request, problems);
    if (!problems.empty())
        throw ProjectError(std::move(problems));
    return projectFromNetwork(std::move(project), uploads);
}

std::optional<std::size_t> countIn(const WebFields& query, std::string_view name) {
    const auto found = query.find(name);
    if (found == query.end())
        return std::nullopt;
    std::size_t count = 0;
    const std::string& text = found->second;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failure != std::errc() || end != text.data() + text.size())
        throw Error(ErrorKind::Project, sentence("it is no number"), std::string(name));
    return count;
}

/// The media type of a file of ours, by its name.
std::string_view mediaType(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    if (extension == ".mp4")
        return "video/mp4";
    if (extension == ".webm")
        return "video/webm";
    if (extension == ".png")
        return "image/png";
    if (extension == ".gif")
        return "image/gif";
    if (extension == ".webp")
        return "image/webp";
    return "application/octet-stream";
}

/// Answers with a file, or the part of it that was asked for.
WebAnswer fileAnswer(const HeldFile& file, const std::string& range) {
    struct stat status {};
    if (file.isFolder() || ::fstat(file.descriptor(), &status) != 0)
        return webError(conflict, "not_a_file",
                        "The video is a folder of pictures: ask for the run's archive");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const std::optional<WebRange> part = requestedRange(range, size);
    if (!part) {
        WebAnswer answer = webError(rangeOutside, "range_outside", "The file is shorter than that");
        answer.headers.emplace_back("Content-Range", fmt::format("bytes */{}", size));
        return answer;
    }
    const int descriptor = ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0)
        throw Error(ErrorKind::Resources, sentence("too many files are open"), withTilde(file.name()));
    WebAnswer answer{.type = std::string(mediaType(file.name())),
                     .body = FileSlice(descriptor, part->first, part->length)};
    answer.headers.emplace_back("Accept-Ranges", "bytes");
    if (part->length < size) {
        answer.status = partialContent;
        answer.headers.emplace_back("Content-Range", fmt::format("bytes {}-{}/{}", part->first,
                                                                 part->first + part->length - 1, size));
    }
    return answer;
}

}  // namespace

VideoService::VideoService(SharedQueue& queue, QueueWorker& worker, EventFeed& feed,
                           VideoServiceOptions options)
    : m_queue(queue), m_worker(worker), m_feed(feed), m_options(std::move(options)) {
    std::filesystem::create_directories(m_options.inbox);
    std::filesystem::permissions(m_options.inbox, std::filesystem::perms::owner_all);
    const RunList list = readQueue();
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(m_options.inbox))
        if (list.find(entry.path().filename().string()) == nullptr) {
            std::error_code ignored;
            const auto age = std::filesystem::file_time_type::clock::now() - entry.last_write_time(ignored);
            if (age > inboxPatience)
                std::filesystem::remove_all(entry.path(), ignored);
        }
}

WebAnswer VideoService::answer(WebRequest& request) {
    try {
        return route(request);
    } catch (const ProjectError& failure) {
        return problemsAnswer(failure.problems());
    } catch (const Error& failure) {
        if (failure.kind() == ErrorKind::Project || failure.kind() == ErrorKind::Input)
            return webError(badRequest, "invalid_value", failure.message().text(), failure.where());
        m_options.say(currentProblem().text());
        return webError(serverError, "server_error", failure.message().text());
    } catch (const std::exception&) {
        m_options.say(currentProblem().text());
        return webError(serverError, "internal_error", "The server failed; its own output says why");
    }
}

RunList VideoService::changeQueue(const SharedQueue::Change& change) const {
    try {
        return m_queue.change(change);
    } catch (const Error& failure) {
        throw Error(ErrorKind::Resources, failure.message(), failure.where(), failure.hint());
    }
}

RunList VideoService::readQueue() const {
    return changeQueue([](RunList&) {});
}

bool VideoService::isFull(const RunList& list) const {
    constexpr std::uint64_t share = 4;  // of what is read: runs that are in it go on growing
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(m_queue.file(), missing);
    return list.count(QueuedRun::State::Waiting) >= m_options.mostWaiting ||
           (!missing && bytes > limitValue(Limit::Json) / share);
}

WebAnswer VideoService::inTurn(const std::function<WebAnswer()>& answerPost) const {
    struct Turn {
        std::counting_semaphore<mostPlanned>& places;
        explicit Turn(std::counting_semaphore<mostPlanned>& all) : places(all) { places.acquire(); }
        ~Turn() { places.release(); }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
    };
    const Turn turn(m_planning);
    return answerPost();
}

void VideoService::tidy() {
    if (m_options.keep == KeepLimit())
        return;
    for (const std::string& id :
         forgetResults(m_queue, m_options.keep, m_options.runsFolder, unixTimeNow())) {
        std::error_code ignored;
        std::filesystem::remove_all(m_options.inbox / id, ignored);
    }
}

void VideoService::close() {
    m_feed.close();
}

WebAnswer VideoService::route(WebRequest& request) {
    const std::string_view path = request.path;
    const auto isAt = [&](std::string_view place) { return path == place; };
    const bool isGet = request.method == "GET";
    const bool isPost = request.method == "POST";
    if (isAt("/health")) {
        nlohmann::ordered_json json;
        json["status"] = "ok";
        return isGet ? jsonAnswer(json) : wrongMethod("GET");
    }
    if (isAt("/v1/models"))
        return isGet ? jsonAnswer(modelsJson()) : wrongMethod("GET");
    if (isAt("/meshreel/v1/capabilities"))
        return isGet ? jsonAnswer(capabilitiesJson()) : wrongMethod("GET");
    if (isAt("/meshreel/v1/plan"))
        return isPost ? inTurn([&] { return plan(request); }) : wrongMethod("POST");
    if (isAt(videosPath))
        return isGet    ? list(request)
               : isPost ? inTurn([&] { return createVideo(request); })
                        : wrongMethod("GET, POST");
    if (path.starts_with(videosPath) && path.substr(videosPath.size()).starts_with('/'))
        return routeVideo(request, path.substr(videosPath.size() + 1));
    if (isAt(runsPath))
        return isPost ? inTurn([&] { return createRun(request); }) : wrongMethod("POST");
    if (path.starts_with(runsPath) && path.substr(runsPath.size()).starts_with('/'))
        return routeRun(request, path.substr(runsPath.size() + 1));
    return unknownPath();
}

WebAnswer VideoService::routeVideo(const WebRequest& request, std::string_view rest) {
    const std::size_t slash = rest.find('/');
    const std::string id = ownId(rest.substr(0, slash));
    const std::string_view part = slash == std::string_view::npos ? "" : rest.substr(slash);
    const RunList runs = readQueue();
    const QueuedRun* const run = id.empty() ? nullptr : runs.find(id);
    if (run == nullptr)
        return unknownVideo();
    if (part == "/content")
        return request.method == "GET" ? content(*run, request) : wrongMethod("GET");
    if (!part.empty())
        return unknownPath();
    if (request.method == "DELETE")
        return remove(id);
    if (request.method != "GET")
        return wrongMethod("GET, DELETE");
    WebAnswer answer;
    answer.body = videoJson(*run);
    return answer;
}

WebAnswer VideoService::routeRun(WebRequest& request, std::string_view rest) {
    const std::size_t slash = rest.find('/');
    const std::string id = ownId(rest.substr(0, slash));
    const std::string_view part = slash == std::string_view::npos ? "" : rest.substr(slash);
    const RunList runs = readQueue();
    const QueuedRun* const run = id.empty() ? nullptr : runs.find(id);
    if (run == nullptr)
        return unknownVideo();
    if (request.method != "GET")
        return wrongMethod("GET");
    if (part == "/folder")
        return archive(*run);
    if (part == "/events")
        return events(*run);
    if (part == "/project") {
        WebAnswer answer{.type = "application/yaml"};
        answer.body = resolvedYaml(run->project);
        return answer;
    }
    return unknownPath();
}

WebAnswer VideoService::createVideo(WebRequest& request) {
    if (isFull(readQueue()))
        return fullQueue();  // before anything is written and planned
    return enqueue(projectOfFields(request, m_options.inbox), request);
}

WebAnswer VideoService::createRun(WebRequest& request) {
    if (isFull(readQueue()))
        return fullQueue();
    return enqueue(projectOfText(request), request);
}

WebAnswer VideoService::enqueue(Project project, WebRequest& request) {
    // The queue's file holds it as a project's text, which has to be readable again.
    requireWithin(Limit::Project, resolvedYaml(project).size(), "the request");
    const ProjectForecast forecast =
        makeForecast(project, {.basis = m_options.basis, .runsFolder = m_options.runsFolder});
    std::vector<Problem> problems = listProblems(project, forecast.problems);
    std::erase_if(problems, isShortOfMemory);  // by its turn, what runs now has freed its own
    if (areObstacles(problems, nullptr))
        return problemsAnswer(problems);
    if (project.name.empty())
        project.name = "video";
    QueuedRun run = queuedNow(std::move(project));
    run.isOfClient = true;
    if (!request.uploads.empty())
        run.id = request.uploads.filename().string();
    bool isAdded = false;
    changeQueue([&](RunList& list) {
        isAdded = !isFull(list);
        if (isAdded)
            list.add({run});
    });
    if (!isAdded)
        return fullQueue();
    request.keepsUploads = true;
    m_worker.wake();
    WebAnswer answer;
    answer.body = videoJson(run);
    return answer;
}

WebAnswer VideoService::plan(WebRequest& request) const {
    const bool isForm = !request.fields.empty() || !request.files.empty();
    const bool isJson =
        inSmallLetters(request.header("content-type")).starts_with(jsonType) || request.body.starts_with('{');
    const bool isYaml = isForm ? hasProjectPart(request) : !isJson;
    const Project project = isYaml ? projectOfText(request) : projectOfFields(request, m_options.inbox);
    const ProjectForecast forecast =
        makeForecast(project, {.basis = m_options.basis, .runsFolder = m_options.runsFolder});
    const std::vector<Problem> problems = listProblems(project, forecast.problems);
    nlohmann::ordered_json json;
    json["can_run"] = forecast.plan != nullptr && !areObstacles(problems, nullptr);
    json["seconds"] = forecast.prediction == nullptr
                          ? nlohmann::ordered_json()
                          : nlohmann::ordered_json(forecast.prediction->total.seconds);
    json["problems"] = nlohmann::ordered_json::array();
    for (const Problem& problem : problems)
        json["problems"].push_back(problem.text());
    json["plan"] = forecast.plan == nullptr ? nlohmann::ordered_json() : planJson(*forecast.plan);
    return jsonAnswer(json);
}

WebAnswer VideoService::list(const WebRequest& request) const {
    constexpr std::size_t usualLimit = 20;
    constexpr std::size_t mostLimit = 100;
    const std::size_t limit = std::min(countIn(request.query, "limit").value_or(usualLimit), mostLimit);
    std::vector<QueuedRun> runs = readQueue().runs();
    const auto order = request.query.find("order");
    if (order != request.query.end() && order->second == "asc")
        std::ranges::stable_sort(runs, std::ranges::less(), &QueuedRun::added);
    else
        std::ranges::stable_sort(runs, std::ranges::greater(), &QueuedRun::added);
    auto next = runs.begin();
    if (const auto after = request.query.find("after"); after != request.query.end()) {
        next = std::ranges::find(runs, ownId(after->second), &QueuedRun::id);
        if (next == runs.end())
            return unknownVideo();
        ++next;
    }
    nlohmann::ordered_json json;
    json["object"] = "list";
    json["data"] = nlohmann::ordered_json::array();
    for (; next != runs.end() && json["data"].size() < limit; ++next)
        json["data"].push_back(nlohmann::ordered_json::parse(videoJson(*next)));
    const nlohmann::ordered_json& data = json["data"];
    const nlohmann::ordered_json first = data.empty() ? nlohmann::ordered_json() : data.front().at("id");
    const nlohmann::ordered_json last = data.empty() ? nlohmann::ordered_json() : data.back().at("id");
    json["first_id"] = first;
    json["last_id"] = last;
    json["has_more"] = next != runs.end();
    return jsonAnswer(json);
}

std::string VideoService::videoJson(const QueuedRun& run) const {
    const Project& project = run.project;
    const bool isDone = run.state == QueuedRun::State::Done;
    constexpr int whole = 100;
    const double fraction = run.state == QueuedRun::State::Running ? m_feed.progress(run.id).value_or(0) : 0;
    nlohmann::ordered_json json;
    json["id"] = publicId(run);
    json["object"] = "video";
    json["status"] = std::string(statusName(run.state));
    json["progress"] = isDone ? whole : static_cast<int>(fraction * whole);
    json["created_at"] = run.added / 1000;  // in seconds
    json["completed_at"] = isDone ? nlohmann::ordered_json(run.ended) : nlohmann::ordered_json();
    json["expires_at"] = isDone && run.isOfClient && m_options.keep.seconds
                             ? nlohmann::ordered_json(run.ended + *m_options.keep.seconds)
                             : nlohmann::ordered_json();
    json["remixed_from_video_id"] = nullptr;
    json["model"] = project.model;
    json["prompt"] = project.prompt;
    json["size"] = fmt::format("{}x{}", project.width, project.height);
    json["seconds"] = fmt::format("{:.6g}", static_cast<double>(project.numFrames) / project.fps);
    json["error"] = nullptr;
    if (run.state == QueuedRun::State::Failed || run.state == QueuedRun::State::Cancelled) {
        nlohmann::ordered_json error;
        error["code"] = std::string(nameOf(run.state));
        error["message"] = run.remark.empty() ? std::string("It was cancelled") : run.remark;
        json["error"] = std::move(error);
    }
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

WebAnswer VideoService::content(const QueuedRun& run, const WebRequest& request) {
    if (run.state != QueuedRun::State::Done || run.folder.empty())
        return webError(conflict, "not_completed", "The video is not made yet");
    const auto asked = request.query.find("variant");
    const std::string variant = asked == request.query.end() ? "video" : asked->second;
    if (variant != "video" && variant != "finished" && variant != "thumbnail")
        return webError(badRequest, "unsupported_variant",
                        "There are the variants video, finished and thumbnail; the archive of the run has "
                        "the rest",
                        "variant");
    if (!RunFolder::isRun(run.folder))
        return goneFile("The run's folder is not there any more");
    const RunFolder folder = RunFolder::open(run.folder);
    const std::string range = request.header("range");
    if (variant == "thumbnail")
        return fileAnswer(folder.hold(run_file::preview), range);
    if (variant == "finished") {
        const std::string name =
            withVideoExtension(run_file::finishedStem, videoOptions(run.project).format).string();
        if (!std::filesystem::exists(folder.file(name)))
            return goneFile("The project asks for no finished video: its keys interpolate and upscale do");
        return fileAnswer(folder.hold(name), range);
    }
    const std::optional<HeldFile> video = folder.openVideo();
    if (!video)
        return goneFile("The run's folder has no video any more");
    return fileAnswer(*video, range);
}

WebAnswer VideoService::remove(const std::string& id) {
    bool isRunning = false;
    const auto takeOff = [&] {
        changeQueue([&](RunList& list) {
            const QueuedRun* const run = list.find(id);
            isRunning = run != nullptr && run->state == QueuedRun::State::Running;
            list.remove({id});
        });
    };
    takeOff();
    // It may begin or end here at this very moment.
    constexpr int mostTries = 20;
    for (int tries = 0; isRunning && !m_worker.cancel(id); ++tries) {
        if (tries == mostTries)
            return webError(conflict, "runs_elsewhere", "Another program runs it: cancel it there");
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        takeOff();
    }
    std::error_code ignored;
    std::filesystem::remove_all(m_options.inbox / id, ignored);
    nlohmann::ordered_json json;
    json["id"] = std::string(idPrefix) + id;
    json["object"] = "video.deleted";
    json["deleted"] = true;
    return jsonAnswer(json);
}

WebAnswer VideoService::archive(const QueuedRun& run) {
    if (!hasEnded(run) || run.folder.empty())
        return webError(conflict, "not_completed", "The run has not ended yet");
    if (!RunFolder::isRun(run.folder))
        return goneFile("The run's folder is not there any more");
    WebAnswer answer{.type = "application/x-tar"};
    answer.body = archiveOf(RunFolder::open(run.folder).path());
    answer.headers.emplace_back("Content-Disposition",
                                fmt::format("attachment; filename=\"{}.tar\"", publicId(run)));
    return answer;
}

WebAnswer VideoService::events(const QueuedRun& run) const {
    struct Follower {
        EventFeed& feed;
        SharedQueue& queue;
        std::string id;
        std::chrono::seconds patience;
        std::uint64_t next = 0;
        bool hasEnded = false;
    };
    WebAnswer answer{.type = "text/event-stream"};
    answer.body = WebStream([follower = std::make_shared<Follower>(Follower{
                                 .feed = m_feed,
                                 .queue = m_queue,
                                 .id = run.id,
                                 .patience = hasEnded(run) ? std::chrono::seconds(0) : streamPatience})]()
                                -> std::optional<std::string> {
        if (follower->hasEnded)
            return std::nullopt;
        const EventFeed::News news = follower->feed.wait(follower->id, follower->next, follower->patience);
        follower->next = news.next;
        follower->hasEnded = news.hasEnded;
        std::string text;
        for (const std::string& line : news.lines)
            text += "data: " + line + "\n\n";
        if (!text.empty() || news.hasEnded)
            return text.empty() ? std::nullopt : std::optional(text);
        // Nothing for a while: the client may be gone, and so may the run.
        const RunList runs = follower->queue.read();
        const QueuedRun* const followed = runs.find(follower->id);
        follower->hasEnded = followed == nullptr || hasEnded(*followed);
        return ": nothing new\n\n";
    });
    return answer;
}

}  // namespace meshreel
