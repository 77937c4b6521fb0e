// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/project_launcher.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QRandomGenerator>
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "engine/base/error.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"
#include "engine/project/prompt_table.h"
#include "engine/runs/run_folder.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/run_queue.h"
#include "ui/runs/run_presenter.h"
#include "ui/values/engine_texts.h"
#include "ui/values/media_kind.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/trust_sheet.h"

namespace meshreel {

namespace {

/// A forecast takes a tenth of it on an idle machine, and the window does not seem to hang.
constexpr std::chrono::milliseconds checkWait{1000};

void requireAgreement(const TrustQuestion& question, QWidget* window) {
    if (!mayTrust(question, window))
        throw Error(ErrorKind::Project,
                    ProjectLauncher::tr("You did not agree to what it names").toStdString());
}

/// Throws Error for what holds no project that can be run, and for one that the user does not agree to.
Project projectIn(const QString& path, QWidget* window) {
    const std::filesystem::path file = path.toStdString();
    switch (kindOf(file)) {
        case MediaKind::Run:
            requireAgreement(askTrust(RunFolder::open(file).project(), file, ProjectSource::Elsewhere),
                             window);
            return RunFolder::open(file).project();
        case MediaKind::ProjectFile: {
            const LoadedProject loaded = loadProject(file);
            requireAgreement(askTrust(loaded, file.parent_path()), window);
            Project project = loaded.project;
            if (project.name.empty())
                project.name = file.stem().string();
            return project;
        }
        default:
            throw Error(ErrorKind::Input,
                        ProjectLauncher::tr("It is neither a project file nor a run folder").toStdString());
    }
}

}  // namespace

ProjectLauncher::ProjectLauncher(ProjectDocument& document, PlanWatch& planWatch, RunQueue& queue,
                                 RunPresenter& runs, MessageBanner& banner, QWidget* window)
    : QObject(window),
      m_document(document),
      m_planWatch(planWatch),
      m_queue(queue),
      m_runs(runs),
      m_banner(banner),
      m_window(window) {
    // Queued: the problems are shown by then.
    connect(&m_planWatch, &PlanWatch::forecastChanged, this, &ProjectLauncher::goOn, Qt::QueuedConnection);
    connect(&m_document, &ProjectDocument::changed, this, [this] {
        if (std::exchange(m_waiting, nullptr) == nullptr)
            return;
        emit checking(false);
        m_banner.showNote(
            tr("The project changed while it was being checked, so it did not start. Run it as it is now."));
    });
}

Project ProjectLauncher::project() const {
    Project project = m_document.runnableProject();
    if (project.name.empty())
        project.name = m_document.file().stem().string();
    return project;
}

QString ProjectLauncher::obstacle() const {
    return obstacleUnless([](const Problem&) { return false; });
}

QString ProjectLauncher::obstacleUnless(bool (*passes)(const Problem&)) const {
    if (m_document.hasErrors())
        return problemText(m_document.problems().front());
    if (m_planWatch.isPending())
        return {};
    const ProjectForecast& forecast = m_planWatch.forecast();
    const auto error = std::ranges::find_if(forecast.problems, [&](const Problem& problem) {
        return problem.severity == Severity::Error && !passes(problem);
    });
    if (error != forecast.problems.end())
        return problemText(*error);
    return forecast.obstacle ? withCapital(sentenceText(forecast.obstacle->message)) : QString();
}

/// No verdict on an earlier state of the project decides: the newest is waited for, for a moment here, and
/// longer without keeping the window from anything else.
bool ProjectLauncher::isChecked(void (ProjectLauncher::*then)()) {
    const auto wait = m_waiting == nullptr ? checkWait : std::chrono::milliseconds(0);
    if (m_document.hasErrors() || m_planWatch.settle(wait))
        return true;
    m_waiting = then;
    emit checking(true);
    return false;
}

void ProjectLauncher::goOn() {
    if (m_waiting == nullptr || m_planWatch.isPending())
        return;
    const auto then = std::exchange(m_waiting, nullptr);
    emit checking(false);
    (this->*then)();
}

void ProjectLauncher::run() {
    if (!isChecked(&ProjectLauncher::run))
        return;
    // By the time its turn comes, the current run has freed its memory.
    const bool follows = m_runs.isBusy();
    if (!(follows ? obstacleUnless(isShortOfMemory) : obstacle()).isEmpty()) {
        emit stoppedByProblems();
        return;
    }
    if (!follows && !m_runs.mayBegin())
        return;
    m_banner.closeAll();  // from the previous attempt
    const int queued = follows ? m_videos : m_videos - 1;
    if (!follows) {
        if (m_freshSeeds || m_videos > 1)
            takeFreshSeed();
        emit begun();
        m_runs.generate(project());
    }
    for (int i = 0; i < queued; ++i) {
        if (m_freshSeeds || m_videos > 1)
            takeFreshSeed();
        m_queue.add(project());
    }
    if (queued > 0)
        emit queueWanted();
}

void ProjectLauncher::takeFreshSeed() {
    const int seed = QRandomGenerator::global()->bounded(std::numeric_limits<int>::max());
    m_document.setText(*findProjectKey("seed"), QString::number(seed));
}

void ProjectLauncher::addToQueue() {
    if (!isChecked(&ProjectLauncher::addToQueue))
        return;
    if (!(m_runs.isBusy() ? obstacleUnless(isShortOfMemory) : obstacle()).isEmpty()) {
        emit stoppedByProblems();
        return;
    }
    m_queue.add(project());
    emit queued();
}

void ProjectLauncher::addGridToQueue() {
    if (!isChecked(&ProjectLauncher::addGridToQueue))
        return;
    GridDialog dialog(project(), m_planWatch.forecast(), m_window);
    const ProjectKey& prompt = *findProjectKey("prompt");
    if (promptVariants(m_document.text(prompt), 2).size() > 1)
        dialog.setAxis(0, prompt, m_document.text(prompt));
    if (dialog.exec() != QDialog::Accepted)
        return;
    m_queue.add(dialog.grid());
    emit queued();
}

void ProjectLauncher::addTableToQueue() {
    const QString file = QFileDialog::getOpenFileName(m_window, tr("Add a table to the queue"), QString(),
                                                      tr("Tables (*.csv)"));
    if (!file.isEmpty())
        addFilesToQueue({file});
}

void ProjectLauncher::queueTable(const QString& path, QStringList& refused) {
    const Project base = project();
    const PromptTable table = loadPromptTable(path.toStdString(), base);
    requireAgreement(askTrust(table), m_window);
    const ProjectForecast unknown;
    const ProjectForecast& examined = m_planWatch.settle(checkWait) ? m_planWatch.forecast() : unknown;
    SettingGrid rows;
    for (const ProjectKey* key : table.columns)
        rows.varied.emplace_back(key->name);
    constexpr int mostTold = 5;
    int untold = 0;
    for (const TableRun& run : table.runs) {
        Project project = tableProject(base, run);
        const std::vector<Problem> problems = problemsOfVariant(project, base, examined);
        const auto error = std::ranges::find(problems, Severity::Error, &Problem::severity);
        if (error == problems.end())
            rows.projects.push_back(std::move(project));
        else if (refused.size() < mostTold)
            refused +=
                tr("%1, line %2 (%3)", "file, line and why it cannot be run")
                    .arg(QFileInfo(path).fileName(), QString::number(run.line), sentenceText(error->message));
        else
            ++untold;
    }
    if (untold > 0)
        refused += tr("%n further rows", nullptr, untold);
    if (!rows.projects.empty())
        m_queue.add(rows);
}

void ProjectLauncher::addFilesToQueue(const QStringList& paths) {
    const int before = m_queue.rowCount();
    QStringList refused;
    for (const QString& path : paths) {
        try {
            if (kindOf(path.toStdString()) == MediaKind::Table)
                queueTable(path, refused);
            else
                m_queue.add(projectIn(path, m_window));
        } catch (...) {
            refused += tr("%1 (%2)", "file and why it cannot be used")
                           .arg(QFileInfo(path).fileName(), sentenceText(currentProblem().message));
        }
    }
    if (m_queue.rowCount() > before)
        emit queued();
    if (!refused.isEmpty())
        m_banner.showFailure(tr("Not queued, as only project files without errors, run folders and rows of "
                                "tables that can run "
                                "are: %1.",
                                "files")
                                 .arg(refused.join(QStringLiteral("; "))));
}

}  // namespace meshreel

#include "moc_project_launcher.cpp"
