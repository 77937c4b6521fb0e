// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/path_opener.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/checks/project_check.h"
#include "engine/checks/task_choice.h"
#include "engine/media/clip_folder.h"
#include "engine/models/families/model_family.h"
#include "engine/models/families/weights_name.h"
#include "engine/project/foreign_file.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_look.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_trust.h"
#include "engine/runs/next_clip.h"
#include "engine/runs/run_folder.h"
#include "engine/weights/tensor_names.h"
#include "ui/library/looks_dialog.h"
#include "ui/project/project_document.h"
#include "ui/project/task_switch.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/task_picker.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/values/kept_frame.h"
#include "ui/values/media_kind.h"
#include "ui/values/opened_run.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/trust_sheet.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"

namespace meshreel {

namespace {

QString nameOfPath(const QString& path) {
    return QFileInfo(QDir::cleanPath(path)).fileName();  // folders may end in a slash
}

/// Text of the project's adapters and another one.
QString withAdapter(const Project& project, const QString& file) {
    LoraList adapters = project.lora;
    adapters.push_back({.file = shownPath(file).toStdString()});
    return QString::fromStdString(loraText(adapters));
}

/// Returns null when it is not a part of a model that can be run.
const char* keyOfPart(const CatalogueFile& file) {
    if (!file.identity.part || !file.problem.empty() || !file.identity.relative.empty())
        return nullptr;
    switch (*file.identity.part) {
        case ModelPart::Transformer:
            return file.identity.expert == Expert::Low ? "parts.transformer_2" : "parts.transformer";
        case ModelPart::Vae:
            return "parts.vae";
        case ModelPart::TextEncoder:
            return "parts.text_encoder";
        case ModelPart::ImageEncoder:
            return "parts.image_encoder";
        case ModelPart::AudioEncoder:
            return "parts.audio_encoder";
    }
    return nullptr;
}

/// Returns what one picture is to the project's model: for models that show subjects and begin with none, a
/// reference.
const char* keyOfPicture(const Project& project) {
    constexpr const char* first = "image";
    constexpr const char* reference = "reference_images";
    try {
        const ModelFamily& family = *readModelFacts(findModel(project.model)).family;
        return !mayRead(project, family, first) && mayRead(project, family, reference) ? reference : first;
    } catch (const Error&) {
        return first;  // Problems says what is wrong with the model
    }
}

bool areAll(MediaKind kind, const QStringList& paths) {
    return std::ranges::all_of(paths,
                               [kind](const QString& path) { return kindOf(path.toStdString()) == kind; });
}

}  // namespace

PathOpener::PathOpener(const OpeningPlaces& places, QObject* parent) : QObject(parent), m_places(places) {}

void PathOpener::open(const QString& path) {
    try {
        switch (kindOf(path.toStdString())) {
            case MediaKind::ProjectFile:
                m_reading.forget();
                if (m_places.files.mayReplaceProject() && m_places.files.load(path)) {
                    if (m_places.document.project().seed &&
                        readProjectFrom(path.toStdString()).places.contains("seed"))
                        emit seedGiven();
                    emit opened(path);
                }
                break;
            case MediaKind::Storyboard:
                m_reading.forget();
                emit storyboardRequested(path);
                break;
            case MediaKind::MaxDiffusionConfig:
                emit importRequested(path);
                break;
            case MediaKind::Run:
                takeProjectOfRun(path, [this, path] { showRun(path); });
                break;
            case MediaKind::Model:
                useInput("pretrained_model_name_or_path", {path});
                emit opened(path);
                break;
            case MediaKind::Weights:
                useWeights(path);
                break;
            case MediaKind::Picture:
                useInput(keyOfPicture(m_places.document.project()), {path});
                tellForeign(path);
                emit opened(path);
                break;
            case MediaKind::Look:
                useLook(path);
                break;
            case MediaKind::Table:
                emit tableGiven({path});
                break;
            case MediaKind::Video:
                openVideoFile(path);
                break;
            case MediaKind::MaskDrawing:
                useInput("mask", {path});
                emit opened(path);
                break;
            case MediaKind::TrackDrawing:
                useInput("tracks", {path});
                emit opened(path);
                break;
        }
    } catch (...) {
        m_places.banner.showProblem(currentProblem());
    }
}

void PathOpener::openDropped(const QStringList& paths) {
    try {
        if (paths.size() > 1 && areAll(MediaKind::Picture, paths))
            useInput("reference_images", paths);
        else if (paths.size() > 1 && areAll(MediaKind::Run, paths))
            emit compareRequested(paths);
        else if (paths.size() == 1)
            open(paths.first());
        else
            m_places.banner.showFailure(tr(
                "None of these %n were opened: drop one project, run, video, picture or file of weights at "
                "a time; several pictures become reference images, several runs are compared, and "
                "projects and runs that are dropped on Queue are queued.",
                nullptr, static_cast<int>(paths.size())));
    } catch (...) {
        m_places.banner.showProblem(currentProblem());
    }
}

void PathOpener::showRun(const QString& folder) {
    m_reading.run([path = folder.toStdString()] { return openRun(path); },
                  [this, folder](const OpenedRun& run) {
                      const bool goesOn =
                          m_places.runs.isBusy() && QFileInfo(folder) == QFileInfo(m_places.runs.folder());
                      if (goesOn)
                          m_places.results.showLive();
                      else
                          m_places.results.showRun(run);
                      m_places.docks.showPanel(&m_places.results);
                      emit opened(folder);
                  },
                  [this](const Problem& problem) { m_places.banner.showProblem(problem); });
}

void PathOpener::openVideoFile(const QString& path) {
    m_reading.run([file = path.toStdString()] { return openVideo(file); },
                  [this, path](const OpenedVideo& video) {
                      if (!video.project) {
                          useInput("video", {path});
                          tellForeign(path);
                      } else if (mayTakeOver(*video.project, QFileInfo(path).absolutePath())) {
                          takeOver(*video.project, nameOfPath(path));
                          if (video.project->seed)
                              emit seedGiven();
                      } else {
                          return;
                      }
                      m_places.results.showVideoFile(path, nameOfPath(path), video.clip);
                      emit opened(path);
                  },
                  [this](const Problem& problem) { m_places.banner.showProblem(problem); });
}

void PathOpener::useWeights(const QString& path) {
    m_reading.run([file = path.toStdString()] { return describeFile(file); },
                  [this, path](const CatalogueFile& file) {
                      if (file.adapter)
                          useText("lora", withAdapter(m_places.document.project(), path));
                      else if (const char* key = keyOfPart(file))
                          useInput(key, {path});
                      else
                          return m_places.banner.showFailure(
                              tr("%1 was not used, as it is no adapter and no part of a model that Meshreel "
                                 "runs; Models tells what it is when it lies in a models folder.")
                                  .arg(nameOfPath(path)));
                      emit opened(path);
                  },
                  [this](const Problem& problem) { m_places.banner.showProblem(problem); });
}

void PathOpener::useLook(const QString& path) {
    const ProjectLook look = loadLook(path.toStdString());
    const QString name = visibleText(QString::fromStdString(look.name));
    const MessageAction keep{tr("Keep it among the looks"), [this, path] {
                                 try {
                                     keepLook(path.toStdString());
                                 } catch (...) {
                                     m_places.banner.showProblem(currentProblem());
                                 }
                             }};
    const MessageAction undo{tr("Undo"), [this] { m_places.document.undoStack().undo(); }};
    const bool isNew = takeLook(m_places.document, look);
    m_places.docks.showPanel(&m_places.editor);
    if (isNew)
        m_places.banner.showOffer(tr("The project has the look “%1” now.").arg(name), {undo, keep});
    else
        m_places.banner.showOffer(tr("The project has the look “%1” already.").arg(name), {keep});
}

void PathOpener::useInput(const char* key, const QStringList& paths) {
    QStringList shown;
    for (const QString& path : paths)
        shown += shownPath(path);
    useText(key, shown.join(QStringLiteral(", ")));
}

namespace {

/// An installed model that begins a video with a picture; empty when the project's does that itself, cannot
/// be read, or none is installed.
QString otherModelForPictures(const Project& project) {
    try {
        const ModelFamily& family = *readModelFacts(findModel(project.model)).family;
        constexpr std::array withPictures{WanTask::SubjectsToVideo, WanTask::ImageToVideo,
                                          WanTask::FirstLastFrame,  WanTask::ControlToVideo,
                                          WanTask::VaceEditing,     WanTask::Animation,
                                          WanTask::DrivenAnimation, WanTask::SpeechToVideo};
        if (std::ranges::any_of(withPictures, [&family](WanTask task) { return offers(family, task); }))
            return {};
        const std::vector<std::string> models = installedModelsFor(WanTask::ImageToVideo);
        return models.empty() ? QString() : QString::fromStdString(models.front());
    } catch (const Error&) {
        return {};  // Problems says what is wrong with the model
    }
}

}  // namespace

void PathOpener::useText(const char* key, const QString& text) {
    const ProjectKey& input = *findProjectKey(key);
    const QString title = engineText(input.title);
    std::vector<KeyText> texts{{&input, text}};
    const QString model =
        input.name == "image" ? otherModelForPictures(m_places.document.project()) : QString();
    if (!model.isEmpty()) {
        texts.push_back({findProjectKey("pretrained_model_name_or_path"), model});
        texts.push_back({findProjectKey("task"), QString::fromUtf8(automaticTask.data())});
    }
    m_places.document.setTexts(title, texts);
    m_places.docks.showPanel(&m_places.editor);
    m_places.editor.goTo(QLatin1String(key));
    if (model.isEmpty())
        m_places.banner.showOffer(tr("Used as “%1”; drop it on another field to use it as that.").arg(title),
                                  {undoAction()});
    else
        m_places.banner.showOffer(
            tr("Used as “%1”, with the model %2, which makes videos of pictures.").arg(title, model),
            {undoAction()});
    if (m_places.document.project().prompt.empty())
        m_places.editor.focusPrompt();
}

MessageAction PathOpener::undoAction() {
    return {tr("Undo"), [this] { m_places.document.undoStack().undo(); }};
}

void PathOpener::tellForeign(const QString& path) {
    if (const Sentence settings = foreignSettingsIn(path.toStdString()); !settings.empty())
        m_places.banner.showOffer(
            tr("%1 also holds %2, which Meshreel does not read: write its prompt, size, frames, steps and "
               "seed into the project.",
               "file, settings of another program")
                .arg(nameOfPath(path), sentenceText(settings)),
            {});
}

namespace {

/// Throws Error{Input} when there is no video.
Clip clipOf(const std::filesystem::path& path) {
    if (!RunFolder::isRun(path))
        return openVideo(path).clip;
    const OpenedRun run = openRun(path);
    if (run.clip.isEmpty())
        throw Error(ErrorKind::Input, run.clipProblem.toStdString(), path.string());
    return run.clip;
}

/// The file of the frame that is asked for, which is kept.
std::filesystem::path frameFile(const UseRequest& request) {
    const std::filesystem::path clip = request.clip.toStdString();
    const std::string name = (RunFolder::isRun(clip) ? clip.filename() : clip.stem()).string();
    if (request.frame == ClipFrame::Shown)
        return keepFrame(request.picture, name, request.shown);
    const QList<QImage> frames = clipOf(clip).frames;
    const auto number = request.frame == ClipFrame::First ? 0 : static_cast<int>(frames.size()) - 1;
    return keepFrame(frames.at(number), name, number);
}

}  // namespace

void PathOpener::useResult(const UseRequest& request) {
    if (request.use == ResultUse::Continued)
        return continueClip(request.clip, request.frame == ClipFrame::Shown ? request.shown : -1);
    m_reading.run(
        [request] {
            return rowOf(request.use).ofFrame ? frameFile(request) : videoOfClip(request.clip.toStdString());
        },
        [this, use = request.use](const std::filesystem::path& file) { takeAs(use, file); },
        [this](const Problem& problem) { m_places.banner.showProblem(problem); });
}

void PathOpener::takeAs(ResultUse use, const std::filesystem::path& file) {
    const ResultUseRow& row = rowOf(use);
    const ProjectKey& key = *findProjectKey(row.key);
    const Project& project = m_places.document.project();
    TaskSwitch& tasks = m_places.editor.tasks().taskSwitch();
    QString text = shownPath(QString::fromStdString(file.string()));
    const std::optional<WanTask> now = tasks.task();
    if (use == ResultUse::Reference && now && reads(rowOf(*now), row.key) && !project.referenceImages.empty())
        text = m_places.document.text(key) + QStringLiteral(", ") + text;
    std::vector<KeyText> values{{&key, text}};
    if (use == ResultUse::FirstImage && !project.continueFrom.empty())
        values.push_back({findProjectKey("continue_from"), QString()});  // which would begin the video, too
    const QString title = engineText(key.title);
    m_places.docks.showPanel(&m_places.editor);
    tasks.choose(
        title, {row.tasks.begin(), row.tasks.end()}, std::move(values),
        [this, title, name = QLatin1String(row.key), before = project.model] {
            const std::string& model = m_places.document.project().model;
            m_places.editor.goTo(name);
            m_places.banner.showOffer(
                model == before
                    ? tr("Used as “%1”.").arg(title)
                    : tr("Used as “%1”, with the model %2.").arg(title, QString::fromStdString(model)),
                {undoAction()});
        });
}

void PathOpener::usePart(const QString& folder, RunPart part) {
    m_reading.run([path = folder.toStdString()] { return readRun(path); },
                  [this, folder, part](const OpenedRun& run) {
                      const Project single = extractProject(run.project, batchItems(run.project).front());
                      std::vector<KeyText> values;
                      QStringList titles;
                      for (const char* name : keysOf(part)) {
                          const ProjectKey& key = *findProjectKey(name);
                          values.push_back({&key, QString::fromStdString(valueText(single, key))});
                          titles += engineText(key.title);
                      }
                      const Project& own = m_places.document.project();
                      if (part == RunPart::Prompt && !own.batchPrompts.empty())
                          values.push_back({findProjectKey("batch_prompts"), QString()});
                      if (part == RunPart::Seed && !own.batchSeeds.empty())
                          values.push_back({findProjectKey("batch_seeds"), QString()});
                      m_places.document.setTexts(tr("Settings of %1", "run").arg(nameOfPath(folder)), values);
                      m_places.banner.showOffer(
                          tr("Taken over from %1: %2.", "run, titles of settings")
                              .arg(nameOfPath(folder), titles.join(QStringLiteral(", "))),
                          {undoAction()});
                      if (part == RunPart::Seed && single.seed)
                          emit seedGiven();
                  },
                  [this](const Problem& problem) { m_places.banner.showProblem(problem); });
}

void PathOpener::continueClip(const QString& clip, int frame) {
    ProjectDocument& document = m_places.document;
    const Project& batch = document.project();
    const Project single = extractProject(batch, batchItems(batch).front());
    KeyChanges changes = continuingChanges(single, clip.toStdString(),
                                           frame < 0 ? std::nullopt : std::optional<std::int64_t>(frame));
    if (!batch.batchPrompts.empty()) {
        changes.push_back({"batch_prompts", ""});
        changes.push_back({"prompt", single.prompt});
    }
    if (!batch.batchSeeds.empty())
        changes.push_back({"batch_seeds", ""});
    document.setTexts(tr("Continue a clip"), changes);
    m_places.docks.showPanel(&m_places.editor);
    m_places.editor.goTo(QStringLiteral("continue_from"));
    m_places.banner.showOffer(
        frame < 0 ? tr("The next run goes on from the last frame of %1.").arg(nameOfPath(clip))
                  : tr("The next run goes on from frame %2 of %1.").arg(nameOfPath(clip)).arg(frame),
        {undoAction()});
}

void PathOpener::usePreset(const QString& file) {
    try {
        useProject(loadProject(file.toStdString()).project, QFileInfo(file).completeBaseName());
    } catch (...) {
        m_places.banner.showProblem(currentProblem());
    }
}

void PathOpener::useProject(const Project& project, const QString& origin) {
    m_reading.forget();
    if (m_places.files.mayReplaceProject())
        takeOver(project, origin);
}

bool PathOpener::mayTakeOver(const Project& project, const QString& folder) {
    const TrustQuestion question = askTrust(project, folder.toStdString(), ProjectSource::Elsewhere);
    return mayTrust(question, m_places.editor.window()) && m_places.files.mayReplaceProject();
}

void PathOpener::takeOver(const Project& project, const QString& origin) {
    m_places.document.adopt(project, origin);
    m_places.docks.showPanel(&m_places.editor);
    m_places.banner.closeAll();
    if (project.seed && project.seed != Project().seed)
        emit seedGiven();
}

void PathOpener::useProjectOfRun(const QString& folder) {
    takeProjectOfRun(folder, [] {});
}

void PathOpener::takeProjectOfRun(const QString& folder, const std::function<void()>& then) {
    m_reading.run([path = folder.toStdString()] { return readRun(path); },
                  [this, folder, then](const OpenedRun& run) {
                      if (!mayTakeOver(run.project, folder))
                          return;
                      takeOver(run.project, nameOfPath(folder));
                      if (run.project.seed)
                          emit seedGiven();  // the default's, too
                      then();
                  },
                  [this](const Problem& problem) { m_places.banner.showProblem(problem); });
}

}  // namespace meshreel

#include "moc_path_opener.cpp"
