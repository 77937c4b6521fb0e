// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/history_actions.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QString>
#include <QUrl>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "ui/compare/comparison_tables.h"
#include "ui/player/clip_exporter.h"
#include "ui/player/player_widget.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/run_history_model.h"
#include "ui/runs/run_presenter.h"
#include "ui/runs/run_preview.h"
#include "ui/runs/run_watch.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/trust_sheet.h"
#include "ui/window/path_opener.h"

namespace meshreel {

namespace {

/// According to https://specifications.freedesktop.org/trash-spec: Trash in the home folder, .Trash and
/// .Trash-1000 on other volumes.
bool liesInTrash(const QString& path) {
    const QStringList folders = QFileInfo(path).absolutePath().split(QLatin1Char('/'));
    return std::ranges::any_of(folders, [](const QString& folder) {
        return folder == QLatin1String("Trash") || folder.startsWith(QLatin1String(".Trash"));
    });
}

/// Brings back what stands as `name` in the folder `files` of what was taken for a trash.
void bringBack(const QString& moved, const QString& path) {
    QDir folder(QFileInfo(moved).absolutePath());
    QDir().rename(moved, path);
    folder.cdUp();
    folder.remove(QStringLiteral("info/%1.trashinfo").arg(QFileInfo(moved).fileName()));
    for (const char* emptied : {"info", "files"})
        folder.rmdir(QLatin1String(emptied));
}

/// Returns false, with everything where it was, if the system has no trash for it.
bool moveToTrash(const QString& path) {
    QString moved;
    if (!QFile::moveToTrash(path, &moved))
        return false;
    // Where it can make no trash, Qt 6.4 takes the working directory for one.
    if (liesInTrash(moved))
        return true;
    bringBack(moved, path);
    return false;
}

}  // namespace

HistoryActions::HistoryActions(const Places& places, QObject* parent)
    : QObject(parent), m_places(places), m_watch(new RunWatch(places.history, this)) {
    connectPanel();
    connect(m_watch, &RunWatch::refreshed, this, &HistoryActions::offerShown);
    connect(m_watch, &RunWatch::wentWrong, &m_places.banner, &MessageBanner::showProblem);
    connect(&m_places.history, &RunHistoryModel::notesFailed, &m_places.banner, &MessageBanner::showFailure);
    connect(&m_places.runs, &RunPresenter::mayBeginChanged, this,
            [this](bool may) { m_places.panel.setEngineBusy(!may); });
    connect(&m_places.runs, &RunPresenter::runsChanged, this, &HistoryActions::refresh);
    connect(&m_places.runs, &RunPresenter::runShown, this,
            [this](const QString& folder) { m_selected = folder; });
}

void HistoryActions::connectPanel() {
    const HistoryPanel* panel = &m_places.panel;
    RunPresenter* runs = &m_places.runs;
    connect(panel, &HistoryPanel::openRequested, &m_places.opener, &PathOpener::showRun);
    connect(panel, &HistoryPanel::projectRequested, &m_places.opener, &PathOpener::useProjectOfRun);
    connect(panel, &HistoryPanel::partRequested, &m_places.opener, &PathOpener::usePart);
    connect(panel, &HistoryPanel::useRequested, &m_places.opener, &PathOpener::useResult);
    connect(panel, &HistoryPanel::resumeRequested, runs, [this](const QString& folder) {
        ifTrusted(folder, [&] { m_places.runs.resume(folder, false); });
    });
    connect(panel, &HistoryPanel::resumeElsewhereRequested, runs, [this](const QString& folder) {
        ifTrusted(folder, [&] { m_places.runs.resume(folder, true); });
    });
    connect(panel, &HistoryPanel::decodeRequested, runs,
            [this](const QString& folder) { ifTrusted(folder, [&] { m_places.runs.decodeAgain(folder); }); });
    connect(panel, &HistoryPanel::revealRequested, this,
            [](const QString& folder) { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
    connect(panel, &HistoryPanel::refreshRequested, this, &HistoryActions::refresh);
    connect(panel, &HistoryPanel::trashRequested, this, &HistoryActions::moveToTrash);
    ClipExporter* exporter = &panel->preview().player().exporter();
    connect(panel, &HistoryPanel::exportRequested, exporter, &ClipExporter::askForCopies);
    connect(exporter, &ClipExporter::noted, &m_places.banner, &MessageBanner::showNote);
    connect(exporter, &ClipExporter::written, &m_places.banner,
            [this](const QString& sentence, const QString& file) {
                m_places.banner.showOffer(sentence, {showFolderAction(file)});
            });
    connect(exporter, &ClipExporter::wentWrong, &m_places.banner, &MessageBanner::showProblem);
    connect(panel, &HistoryPanel::copySummariesRequested, this,
            [this](const QStringList& folders) { copyRuns(folders, copyTimingSummaries); });
    connect(panel, &HistoryPanel::copyBestRequested, this,
            [this](const QStringList& folders) { copyRuns(folders, copyBestConfigs); });
}

void HistoryActions::ifTrusted(const QString& folder, const std::function<void()>& work) {
    if (mayTrustRun(folder, m_places.panel.window()))
        work();
}

void HistoryActions::refresh() {
    m_watch->refresh();
}

void HistoryActions::offerShown() {
    if (m_selected.isEmpty() || !m_places.history.indexOf(m_selected).isValid())
        return;  // a reading that began before the run was there
    m_places.panel.offer(std::exchange(m_selected, {}));
}

namespace {

struct ReadRuns {
    std::vector<RunRecord> runs;
    std::vector<Error> unread;
};

}  // namespace

void HistoryActions::copyRuns(const QStringList& folders, Copy copy) {
    m_copying.run(
        [folders] {
            std::vector<std::string> paths;
            for (const QString& folder : folders)
                paths.push_back(folder.toStdString());
            ReadRuns read;
            read.runs = readEach(
                paths, [](const std::string& path) { return std::vector{readRunRecord(path)}; }, read.unread);
            return read;
        },
        [this, copy](const ReadRuns& read) {
            m_places.banner.showNote(copy(read.runs));
            if (!read.unread.empty())  // the others were copied
                m_places.banner.showFailure(sentenceText(read.unread.front().asSentence()));
        },
        [this](const Problem& problem) { m_places.banner.showProblem(problem); });
}

void HistoryActions::moveToTrash(const QStringList& folders) {
    QMessageBox question(QMessageBox::Question, tr("Move to trash"),
                         tr("Move %n runs to the trash?", nullptr, static_cast<int>(folders.size())),
                         QMessageBox::Cancel, m_places.panel.window());
    QPushButton* move = question.addButton(tr("Move to trash"), QMessageBox::AcceptRole);
    question.setDefaultButton(move);
    question.exec();
    if (question.clickedButton() != move)
        return;
    QStringList atWork;  // perhaps since the question
    QStringList refused;
    for (const QString& folder : folders)
        if (RunLock::isHeld(folder.toStdString()))
            atWork += QFileInfo(folder).fileName();
        else if (!meshreel::moveToTrash(folder))
            refused += QFileInfo(folder).fileName();
    const auto moved = static_cast<int>(folders.size() - atWork.size() - refused.size());
    if (moved > 0)
        m_places.banner.showNote(tr("Moved to the trash: %n runs", nullptr, moved));
    if (!atWork.isEmpty())
        m_places.banner.showFailure(tr("A program works on %1: cancel it there, or wait until it is done.")
                                        .arg(atWork.join(QStringLiteral(", "))));
    if (!refused.isEmpty())
        m_places.banner.showFailure(tr("The system has no trash for %1; use Show folder and delete there.")
                                        .arg(refused.join(QStringLiteral(", "))));
    refresh();
}

}  // namespace meshreel

#include "moc_history_actions.cpp"
