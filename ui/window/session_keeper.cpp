// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/session_keeper.h"

#include <QByteArray>
#include <QEvent>
#include <QLatin1String>
#include <QSettings>
#include <QStringList>
#include <QWidget>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/paths.h"
#include "ui/project/project_document.h"
#include "ui/project/task_switch.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/run_queue.h"
#include "ui/runs/history_panel.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/task_picker.h"
#include "ui/settings/variations.h"
#include "ui/storyboard/storyboard_files.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/storyboard/storyboard_recovery.h"
#include "ui/values/engine_use.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/screen_fit.h"
#include "ui/window/application.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"
#include "ui/window/studio_panels.h"
#include "ui/window/workspaces.h"

namespace meshreel {

namespace {

constexpr QSize firstSize{1280, 800};
constexpr QLatin1String geometryKey("window/geometry");
constexpr QLatin1String advancedKey("editor/advanced");
constexpr QLatin1String foldedKey("editor/folded");
constexpr QLatin1String freshSeedsKey("editor/freshSeeds");
constexpr QLatin1String ownSeedKey(
    "editor/ownSeed");  ///< of the project that was open, while new ones are wanted
constexpr QLatin1String runColumnsKey("runs/columns");
constexpr QLatin1String runsAsTableKey("runs/asTable");

}  // namespace

SessionKeeper::SessionKeeper(const Places& places)
    : m_places(places),
      m_recovery(new ProjectRecovery(places.document, places.files, userDataFolder(), this)),
      m_storyboardRecovery(
          new StoryboardRecovery(places.storyboard, places.storyboardFiles, userDataFolder(), this)) {
    MessageBanner* banner = &m_places.banner;
    connect(m_recovery, &ProjectRecovery::keepingFailed, banner, &MessageBanner::showFailure);
    connect(m_storyboardRecovery, &StoryboardRecovery::keepingFailed, banner, &MessageBanner::showFailure);
    connect(&m_places.workspaces, &Workspaces::layoutUnreadable, banner, &MessageBanner::showFailure);
    TaskSwitch* tasks = &m_places.panels.editor().tasks().taskSwitch();
    m_recovery->keepBeside(
        [tasks] { return tasks->draftsText().toStdString(); },
        [tasks](const std::string& text) { tasks->takeDrafts(QByteArray::fromStdString(text)); });
    m_places.window.installEventFilter(this);
}

void SessionKeeper::restoreLayout() {
    if (const QString damage = keepDamagedSettings(); !damage.isEmpty())
        m_places.banner.showFailure(damage);
    const QSettings settings;
    QWidget& window = m_places.window;
    window.resize(firstSize);
    window.restoreGeometry(settings.value(geometryKey).toByteArray());
    fitIntoScreen(window);
    m_fittedSize = window.size();
    m_places.workspaces.restore();
    ProjectEditor& editor = m_places.panels.editor();
    editor.setShowsAdvanced(settings.value(advancedKey).toBool());
    editor.setFoldedSections(settings.value(foldedKey).toStringList());
    editor.variations().set(1, settings.value(freshSeedsKey).toBool());
    HistoryPanel& history = m_places.panels.history();
    history.setColumns(settings.value(runColumnsKey).toByteArray());
    history.setView(settings.value(runsAsTableKey).toBool() ? HistoryPanel::View::Table
                                                            : HistoryPanel::View::Tiles);
}

void SessionKeeper::saveLayout() const {
    QSettings settings;
    settings.setValue(geometryKey, m_places.window.saveGeometry());
    m_places.workspaces.save();
    m_places.drawer.save();
    const ProjectEditor& editor = m_places.panels.editor();
    settings.setValue(advancedKey, editor.showsAdvanced());
    settings.setValue(foldedKey, editor.foldedSections());
    const Variations& variations = editor.variations();
    settings.setValue(freshSeedsKey, variations.wantsFreshSeeds());
    settings.setValue(ownSeedKey, variations.wantsFreshSeeds() && !variations.freshSeeds());
    const HistoryPanel& history = m_places.panels.history();
    settings.setValue(runColumnsKey, history.columns());
    settings.setValue(runsAsTableKey, history.view() == HistoryPanel::View::Table);
}

void SessionKeeper::goOn() {
    goOnWithProject();
    goOnWithStoryboard();
    goOnWithQueue();
}

void SessionKeeper::goOnWithProject() {
    if (!m_recovery->bringBack())
        return;
    if (QSettings().value(ownSeedKey).toBool())
        m_places.panels.editor().variations().suspendFreshSeeds();
    QObject* question = m_places.banner.showQuestion(
        tr("Your last project is open as you left it."),
        {{tr("Go on with it"), [] {}}, {tr("Start anew"), [this] { m_places.document.startNew(); }}});
    // Of another project it would be asked in vain.
    connect(&m_places.document, &ProjectDocument::replaced, question,
            [this, question] { m_places.banner.withdraw(question); });
}

void SessionKeeper::goOnWithStoryboard() {
    if (m_storyboardRecovery->bringBack())
        m_places.banner.showQuestion(
            tr("Your last storyboard is open as you left it."),
            {{tr("Show storyboard"), [this] { m_places.docks.showPanel(&m_places.panels.storyboard()); }}});
}

void SessionKeeper::goOnWithQueue() {
    QueuePanel& panel = m_places.panels.queue();
    const int waiting = m_places.queue.waiting();
    if (waiting == 0 || panel.isGoing())
        return;
    QObject* question = m_places.banner.showQuestion(
        tr("%n runs wait in the queue.", nullptr, waiting),
        {{tr("Resume"), [&panel] { panel.setGoing(true); }},
         {tr("Show queue"), [this, &panel] { m_places.docks.showPanel(&panel); }}});
    connect(&panel, &QueuePanel::goingChanged, question,
            [this, question] { m_places.banner.withdraw(question); });
}

bool SessionKeeper::end() {
    if (!m_places.files.mayClose() || !m_places.storyboardFiles.mayClose())
        return false;
    if (const std::optional<EngineWork> work = m_places.engine.atHand();
        work && !mayBeStopped(*work, &m_places.window))
        return false;
    m_places.files.noteClosing();
    m_places.storyboardFiles.noteClosing();
    saveLayout();
    m_recovery->keep();
    m_storyboardRecovery->keep();
    return true;
}

bool SessionKeeper::eventFilter(QObject* watched, QEvent* event) {
    // By now the desktop has put its frame around it.
    if (event->type() == QEvent::WindowActivate &&
        std::exchange(m_fittedSize, QSize()) == m_places.window.size())
        fitIntoScreen(m_places.window);
    return QObject::eventFilter(watched, event);
}

}  // namespace meshreel

#include "moc_session_keeper.cpp"
