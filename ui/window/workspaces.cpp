// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/workspaces.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QLayout>
#include <QMenu>
#include <QSettings>
#include <QSignalBlocker>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"
#include "ui/window/dock_host.h"
#include "ui/window/dock_tree.h"

namespace meshreel {

namespace {

constexpr QSize markSize{14, 14};

QIcon markIcon(Severity severity, const QPalette& colours) {
    return severity == Severity::Error
               ? QIcon(tintedPixmap(QStringLiteral("error"), markSize, errorColor(colours)))
               : QIcon(tintedPixmap(QStringLiteral("warning"), markSize, warningColor(colours)));
}

constexpr double mostOfTheHost = 0.6;  ///< that a page takes by itself: what it is about stays in sight
constexpr int leastChange = 4;         ///< pixels, of a height that somebody drags

QString heightKey(const QDockWidget& dock) {
    return QStringLiteral("drawer/") + dock.objectName();
}

}  // namespace

DrawerBar::DrawerBar(DockHost& host, const std::vector<DrawerPage>& pages, QWidget* parent)
    : QWidget(parent), m_host(host) {
    setAccessibleName(tr("Drawer"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(panelMargin, 0, panelMargin, 0);
    row->setSpacing(tightSpacing);
    for (const auto& [dock, height] : pages) {
        auto* button = new QToolButton(this);
        button->setObjectName(QStringLiteral("drawer-") + dock->objectName());
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        row->addWidget(button);
        const int kept = QSettings().value(heightKey(*dock)).toInt();
        m_entries.push_back({.dock = dock, .button = button, .height = kept > 0 ? kept : height});
        connect(button, &QToolButton::clicked, this,
                [this, dock = dock](bool shown) { toggle(dock, shown); });
        connect(dock, &QDockWidget::windowTitleChanged, this, &DrawerBar::refresh);
        connect(dock, &QDockWidget::visibilityChanged, this, &DrawerBar::refresh);
    }
    row->addStretch(1);
    refresh();
}

void DrawerBar::open(QDockWidget* dock) {
    for (Entry& entry : m_entries)
        noteHeight(entry);
    m_host.showPanel(dock->widget());
    const QList<QDockWidget*> beside = m_host.tabifiedDockWidgets(dock);  // only of shown ones
    for (const Entry& entry : m_entries)
        if (beside.contains(entry.dock))
            entry.dock->hide();
    giveHeight(*std::ranges::find(m_entries, dock, &Entry::dock));
    refresh();
}

void DrawerBar::toggle(QDockWidget* dock, bool shown) {
    if (shown) {
        open(dock);
        return;
    }
    noteHeight(*std::ranges::find(m_entries, dock, &Entry::dock));
    dock->hide();
}

void DrawerBar::giveHeight(Entry& entry) {
    if (entry.dock->isFloating())
        return;
    const int most = static_cast<int>(mostOfTheHost * m_host.height());
    if (entry.dock->isVisible()) {
        // Qt shares the room anew in proportion when one alone gets another height.
        DockTree tree = DockTree::of(m_host, m_host.drawer());
        tree.widen(entry.dock, Qt::Vertical, std::min(entry.height, most) - entry.dock->height());
        tree.shareRoom(m_host);
    } else {
        m_host.resizeDocks({entry.dock}, {std::min(entry.height, most)}, Qt::Vertical);
    }
    m_host.layout()->activate();
    entry.given = entry.dock->height();
    entry.windowSize = m_host.size();
}

void DrawerBar::noteHeight(Entry& entry) const {
    const bool isOurs = !entry.dock->isHidden() && entry.dock->isVisible() && !entry.dock->isFloating();
    if (!isOurs || entry.windowSize != m_host.size())  // another window gives other heights
        return;
    if (std::abs(entry.dock->height() - entry.given) > leastChange)
        entry.height = entry.given = entry.dock->height();
}

void DrawerBar::save() {
    QSettings settings;
    for (Entry& entry : m_entries) {
        noteHeight(entry);
        settings.setValue(heightKey(*entry.dock), entry.height);
    }
}

void DrawerBar::reserve(const QDockWidget* dock, const QString& widestTitle) {
    const Entry& entry = *std::ranges::find(m_entries, dock, &Entry::dock);
    entry.button->setText(widestTitle);
    entry.button->setIcon(markIcon(Severity::Error, palette()));
    entry.button->setMinimumSize(entry.button->sizeHint());  // a mark is higher than the letters
    refresh();
}

QToolButton* DrawerBar::drawerButton(const QDockWidget* dock) const {
    return std::ranges::find(m_entries, dock, &Entry::dock)->button;
}

void DrawerBar::setMark(const QDockWidget* dock, std::optional<Severity> mark) {
    std::ranges::find(m_entries, dock, &Entry::dock)->mark = mark;
    refresh();
}

void DrawerBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void DrawerBar::refresh() {
    for (const Entry& entry : m_entries) {
        entry.button->setText(entry.dock->windowTitle());
        entry.button->setToolTip(entry.dock->isVisible()
                                     ? tr("Close %1", "title of a panel").arg(entry.dock->windowTitle())
                                     : tr("Open %1", "title of a panel").arg(entry.dock->windowTitle()));
        entry.button->setChecked(!entry.dock->isHidden() && entry.dock->isVisible());
        entry.button->setIcon(entry.mark ? markIcon(*entry.mark, palette()) : QIcon());
    }
}

namespace {

constexpr int layoutVersion = 8;  ///< of the panels; another one invalidates stored layouts
constexpr QLatin1String workspaceKey("window/workspace");
// Of the versions with one workspace, up to 1589ffd.
constexpr int earlierVersion = 6;
constexpr QLatin1String earlierKey("window/panels");

struct WorkspaceRow {
    Workspace workspace;
    const char* key;  ///< of its layout in the settings
    const char* title;
    const char* help;
};

constexpr std::array<WorkspaceRow, 4> workspaceRows{{
    {Workspace::Create, "window/create", QT_TRANSLATE_NOOP("meshreel::Workspaces", "Create"),
     QT_TRANSLATE_NOOP("meshreel::Workspaces", "Describe a video, run it and watch it")},
    {Workspace::Mesh, "window/mesh", QT_TRANSLATE_NOOP("meshreel::Workspaces", "Mesh"),
     QT_TRANSLATE_NOOP("meshreel::Workspaces", "Share the work between devices: mesh, attention, noise")},
    {Workspace::Measure, "window/measure", QT_TRANSLATE_NOOP("meshreel::Workspaces", "Measure"),
     QT_TRANSLATE_NOOP(
         "meshreel::Workspaces",
         "Compare runs, tune block sizes, time sweeps and this machine, foresee other hardware")},
    {Workspace::Runs, "window/runs", QT_TRANSLATE_NOOP("meshreel::Workspaces", "Runs"),
     QT_TRANSLATE_NOOP("meshreel::Workspaces", "Runs of the past and the queue")},
}};

}  // namespace

Workspaces::Workspaces(StudioPanels& panels, DockHost& docks, QObject* parent)
    : QObject(parent), m_panels(panels), m_docks(docks), m_tabs(new QTabBar(&docks)) {
    m_tabs->setObjectName(QStringLiteral("workspaces"));
    m_tabs->setAccessibleName(tr("Workspaces"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    for (const WorkspaceRow& row : workspaceRows) {
        const int tab = m_tabs->addTab(tr(row.title));
        m_tabs->setTabToolTip(
            tab, tr("%1 (Ctrl+%2)", "what a workspace is for, its key").arg(tr(row.help)).arg(tab + 1));
    }
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) { show(static_cast<Workspace>(tab)); });
    connect(&m_docks, &DockHost::opening, this, [this](QDockWidget* dock) { follow(*dock); });
    m_docks.installEventFilter(this);
    m_panels.arrange(m_current);
}

bool Workspaces::eventFilter(QObject* watched, QEvent* event) {
    const QDockWidget* form = m_panels.form();
    if (event->type() == QEvent::Show)  // panels are shown behind this
        QTimer::singleShot(0, this, [this] {
            if (const QDockWidget* shown = m_panels.form())
                m_panels.setFormWidth(shown->width());
        });
    else if (event->type() == QEvent::Resize && form != nullptr)
        QTimer::singleShot(0, this, [this, width = form->width()] { m_panels.setFormWidth(width); });
    return QObject::eventFilter(watched, event);
}

void Workspaces::show(Workspace workspace) {
    if (workspace == m_current)
        return;
    layoutOf(m_current) = m_docks.saveState(layoutVersion);
    m_sizes.at(static_cast<std::size_t>(m_current)) = m_docks.size();
    m_stops.at(static_cast<std::size_t>(m_current)) = m_docks.focusWidget();
    bringBack(workspace);
    if (QWidget* stop = m_stops.at(static_cast<std::size_t>(workspace)); stop != nullptr && stop->isVisible())
        stop->setFocus(Qt::OtherFocusReason);
}

void Workspaces::bringBack(Workspace workspace) {
    m_current = workspace;
    const QSignalBlocker blocker(m_tabs);
    m_tabs->setCurrentIndex(static_cast<int>(workspace));
    m_docks.setUpdatesEnabled(false);
    const QByteArray& layout = layoutOf(workspace);
    const bool isBack = !layout.isEmpty() && m_docks.restoreState(layout, layoutVersion);
    if (!isBack)
        m_panels.arrange(workspace);
    m_docks.setUpdatesEnabled(true);
    tabAsLaidOut(m_docks);
    // A layout of another window gives the form its share of this one.
    if (m_sizes.at(static_cast<std::size_t>(workspace)) != m_docks.size())
        QTimer::singleShot(0, this, [this] {
            if (const QDockWidget* form = m_panels.form())
                m_panels.setFormWidth(form->width());
        });
    if (!isBack && !layout.isEmpty())
        setAside(workspace);
}

void Workspaces::setAside(Workspace workspace) {
    const WorkspaceRow& row = workspaceRows.at(static_cast<std::size_t>(workspace));
    QSettings settings;
    int number = 1;
    const auto key = [&] { return QStringLiteral("%1-unread-%2").arg(QLatin1String(row.key)).arg(number); };
    while (settings.contains(key()))
        ++number;
    settings.setValue(key(), std::exchange(layoutOf(workspace), QByteArray()));
    emit layoutUnreadable(
        tr("The kept layout of the workspace %1 could not be read. The usual one is shown.", "title")
            .arg(tr(row.title)));
}

void Workspaces::reset() {
    layoutOf(m_current).clear();
    bringBack(m_current);
    QTimer::singleShot(0, this, [this] { m_panels.setFormWidth(0); });  // the usual one
}

void Workspaces::follow(const QDockWidget& dock) {
    show(m_panels.home(dock, m_current));
}

void Workspaces::fillMenu(QMenu* menu) {
    for (const WorkspaceRow& row : workspaceRows) {
        const int number = static_cast<int>(row.workspace) + 1;
        menu->addAction(tr(row.title), QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number)),
                        this, [this, &row] { show(row.workspace); });
    }
    if (const QByteArray earlier = QSettings().value(earlierKey).toByteArray(); !earlier.isEmpty()) {
        menu->addSeparator();
        menu->addAction(tr("Layout of the earlier version"), this, [this, earlier] {
            m_docks.restoreState(earlier, earlierVersion);
            tabAsLaidOut(m_docks);
        });
    }
}

void Workspaces::restore() {
    const QSettings settings;
    for (const WorkspaceRow& row : workspaceRows)
        layoutOf(row.workspace) = settings.value(QLatin1String(row.key)).toByteArray();
    const int last = settings.value(workspaceKey).toInt();
    const bool isKnown = last >= 0 && last < static_cast<int>(count);
    bringBack(isKnown ? static_cast<Workspace>(last) : Workspace::Create);
}

void Workspaces::save() {
    layoutOf(m_current) = m_docks.saveState(layoutVersion);
    QSettings settings;
    for (const WorkspaceRow& row : workspaceRows)
        settings.setValue(QLatin1String(row.key), layoutOf(row.workspace));
    settings.setValue(workspaceKey, static_cast<int>(m_current));
}

}  // namespace meshreel

#include "moc_workspaces.cpp"
