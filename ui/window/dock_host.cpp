// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dock_host.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QLayout>
#include <QMenu>
#include <QScrollArea>
#include <QTabBar>
#include <algorithm>

#include "ui/widgets/accessibility.h"
#include "ui/widgets/screen_fit.h"
#include "ui/window/dock_tree.h"

namespace meshreel {

namespace {

constexpr int step = 32;  ///< device-independent pixels

template <DockSide Side>
void putAtEdge(DockTree& tree, QDockWidget* /*neighbour*/, QDockWidget* dock) {
    tree.putAtEdge(Side, dock);
}

template <DockSide Side>
void putBeside(DockTree& tree, QDockWidget* neighbour, QDockWidget* dock) {
    tree.putBeside(neighbour, Side, dock);
}

void putBehind(DockTree& tree, QDockWidget* neighbour, QDockWidget* dock) {
    tree.putBehind(neighbour, dock);
}

}  // namespace

DockMover::DockMover(DockHost& host) : QObject(&host), m_host(host) {}

void DockMover::fillMenu(QMenu* menu) {
    QMenu* places = menu->addMenu(tr("&Move this panel"));
    addEdge(places, tr("To the &left edge"), putAtEdge<DockSide::Left>);
    addEdge(places, tr("To the &right edge"), putAtEdge<DockSide::Right>);
    addEdge(places, tr("To the &top"), putAtEdge<DockSide::Above>);
    addEdge(places, tr("To the &bottom"), putAtEdge<DockSide::Below>);
    places->addSeparator();
    addNeighbours(places, tr("L&eft of"), putBeside<DockSide::Left>);
    addNeighbours(places, tr("Ri&ght of"), putBeside<DockSide::Right>);
    addNeighbours(places, tr("&Above"), putBeside<DockSide::Above>);
    addNeighbours(places, tr("Bel&ow"), putBeside<DockSide::Below>);
    addNeighbours(places, tr("As a tab w&ith"), putBehind);
    QMenu* sizes = menu->addMenu(tr("&Size of this panel"));
    addSize(sizes, tr("&Wider"), Qt::Key_Right, Qt::Horizontal, step);
    addSize(sizes, tr("&Narrower"), Qt::Key_Left, Qt::Horizontal, -step);
    addSize(sizes, tr("&Taller"), Qt::Key_Down, Qt::Vertical, step);
    addSize(sizes, tr("&Shorter"), Qt::Key_Up, Qt::Vertical, -step);
}

void DockMover::addEdge(QMenu* menu, const QString& title, Placing put) {
    menu->addAction(title, this, [this, put] { move(nullptr, put); });
}

void DockMover::addNeighbours(QMenu* menu, const QString& title, Placing put) {
    QMenu* neighbours = menu->addMenu(title);
    connect(neighbours, &QMenu::aboutToShow, this, [this, neighbours, put] {
        neighbours->clear();
        DockTree tree = DockTree::of(m_host, m_host.drawer());
        if (QDockWidget* dock = m_host.currentDock())
            tree.remove(dock);
        for (QDockWidget* front : tree.fronts())
            neighbours->addAction(front->windowTitle(), this, [this, front, put] { move(front, put); });
    });
}

void DockMover::addSize(QMenu* menu, const QString& title, Qt::Key key, Qt::Orientation orientation,
                        int pixels) {
    menu->addAction(title, QKeySequence(Qt::ALT | Qt::SHIFT | key), this,
                    [this, orientation, pixels] { widen(orientation, pixels); });
}

void DockMover::move(QDockWidget* neighbour, Placing put) {
    QDockWidget* dock = m_host.currentDock();
    if (dock == nullptr)
        return;
    m_host.relocate(dock, [&] {
        DockTree tree = DockTree::of(m_host, m_host.drawer());
        tree.remove(dock);
        put(tree, neighbour, dock);
        dock->setFloating(false);
        tree.arrange(m_host);
    });
}

void DockMover::widen(Qt::Orientation orientation, int pixels) {
    QDockWidget* dock = m_host.currentDock();
    if (dock == nullptr)
        return;
    if (dock->isFloating()) {
        dock->resize(dock->size() + (orientation == Qt::Horizontal ? QSize(pixels, 0) : QSize(0, pixels)));
        return;
    }
    DockTree tree = DockTree::of(m_host, m_host.drawer());
    tree.widen(dock, orientation, pixels);
    tree.shareRoom(m_host);
}

namespace {

/// A scroll area is not informed of changes in it while it is hidden.
void measureAnew(QScrollArea& scroller) {
    QApplication::postEvent(&scroller, new QEvent(QEvent::LayoutRequest));
    for (QScrollArea* area : scroller.findChildren<QScrollArea*>())
        QApplication::postEvent(area, new QEvent(QEvent::LayoutRequest));
}

/// Scrolls to it, wherever it can be scrolled in the dock.
void reveal(QWidget& widget, const QDockWidget& dock) {
    for (QWidget* parent = widget.parentWidget(); parent != &dock; parent = parent->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(parent))
            area->ensureWidgetVisible(&widget);
}

/// What is scrolled there.
QWidget* panelIn(const QDockWidget& dock) {
    return qobject_cast<QScrollArea*>(dock.widget())->widget();
}

}  // namespace

DockHost::DockHost(QWidget* parent) : QMainWindow(parent, Qt::Widget) {
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    // Menus take the focus for themselves while they are open.
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget* /*before*/, QWidget* now) {
        for (QDockWidget* dock : m_docks)
            if (dock->isAncestorOf(now)) {
                m_current = dock;
                // What is clicked is in sight, and shall stay under the pointer.
                if (QApplication::mouseButtons() == Qt::NoButton)
                    reveal(*now, *dock);
            }
    });
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, &DockHost::refreshTitleBars);
}

// A floating dock is a window, which closes as it is destroyed: the focus moves, and the dock says that it is
// hidden.
DockHost::~DockHost() {
    disconnect(qApp, nullptr, this, nullptr);
    for (const QDockWidget* dock : m_docks)
        disconnect(dock, nullptr, this, nullptr);
}

QDockWidget* DockHost::addPanel(const QString& name, const QString& title, QWidget* panel) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    // Within the window from the first, as the order of Tab is lost on the way through another one.
    auto* scroller = new PanelScroller(panel, PanelScroller::Along::Both, dock);
    dock->setWidget(scroller);
    // Qt counts a panel behind tabs as visible: Tab and assistive tools would enter it.
    connect(dock, &QDockWidget::visibilityChanged, panel, [panel, scroller](bool visible) {
        panel->setVisible(visible);
        if (visible)
            measureAnew(*scroller);
    });
    m_docks.push_back(dock);
    const auto later = [this] { m_refresh.start(0); };
    connect(dock, &QDockWidget::dockLocationChanged, this, later);
    connect(dock, &QDockWidget::topLevelChanged, this, later);
    connect(dock, &QDockWidget::visibilityChanged, this, later);
    return dock;
}

QDockWidget* DockHost::findDock(const QWidget* panel) const {
    const auto found = std::ranges::find_if(m_docks, [panel](const QDockWidget* dock) {
        return panelIn(*dock) == panel || dock->widget() == panel;
    });
    return found == m_docks.end() ? nullptr : *found;
}

void DockHost::showPanel(const QWidget* panel) {
    QDockWidget* dock = findDock(panel);
    if (dock->isHidden())
        emit opening(dock);
    dock->show();
    dock->raise();
    panelIn(*dock)->show();
    layout()->activate();
    tidyTabBars();
}

void DockHost::fillMenu(QMenu* menu) {
    constexpr int digits = 9;
    int number = 0;
    for (QDockWidget* dock : m_docks) {
        QAction* action = menu->addAction(dock->windowTitle(), this, [this, dock] { enter(dock); });
        if (++number <= digits)
            action->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number)));
    }
    menu->addSeparator();
    menu->addAction(tr("&Close this panel"), QKeySequence::Close, this, [this] {
        if (QDockWidget* dock = currentDock())
            dock->close();
    });
    menu->addAction(tr("&Float this panel, or dock it again"), this, &DockHost::floatOrDock);
    (new DockMover(*this))->fillMenu(menu);
}

/// Shows it and gives it the focus, if it has a place for it.
void DockHost::enter(QDockWidget* dock) {
    showPanel(panelIn(*dock));
    m_current = dock;
    if (dock->isFloating())
        dock->activateWindow();
    if (dock->isAncestorOf(QApplication::focusWidget()))
        return;
    QWidget* stop = dock->focusWidget();  // where the focus was last
    if (stop != nullptr && !stop->isVisible())
        stop = nullptr;
    for (QWidget* next = dock->nextInFocusChain(); stop == nullptr && next != dock;
         next = next->nextInFocusChain())
        if (dock->isAncestorOf(next) && next->isVisible() && next->isEnabled() &&
            (next->focusPolicy() & Qt::TabFocus) != 0)
            stop = next;
    if (stop != nullptr)
        stop->setFocus(Qt::ShortcutFocusReason);
}

void DockHost::floatOrDock() {
    if (QDockWidget* dock = currentDock())
        relocate(dock, [dock] { dock->setFloating(!dock->isFloating()); });
}

void DockHost::relocate(QDockWidget* dock, const std::function<void()>& change) {
    const QPointer<QWidget> focused = dock->focusWidget();
    setUpdatesEnabled(false);
    change();
    setUpdatesEnabled(true);
    tabAsLaidOut(*this);
    dock->activateWindow();  // it may be another one now
    if (focused != nullptr)
        focused->setFocus();
    m_current = dock;
}

QDockWidget* DockHost::currentDock() const {
    return m_current != nullptr && m_current->isVisible() ? m_current.data() : nullptr;
}

bool DockHost::event(QEvent* event) {
    const bool isKnown = QMainWindow::event(event);
    if (event->type() == QEvent::ChildPolished || event->type() == QEvent::LayoutRequest)
        tidyTabBars();
    return isKnown;
}

/// Tab bars of docks are children that come and go. Qt moves one with fewer than two tabs out of the window,
/// where Tab would still lead. Hiding it would make Qt lay out, show it, and so on for ever; so would setting
/// again what is set.
void DockHost::tidyTabBars() {
    for (QTabBar* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (bar->elideMode() != Qt::ElideNone) {
            bar->setExpanding(false);
            bar->setElideMode(Qt::ElideNone);  // arrows lead to the tabs that have no room
            bar->installEventFilter(this);
        }
        bar->setEnabled(bar->count() > 1);
    }
}

bool DockHost::eventFilter(QObject* watched, QEvent* event) {
    // Later: Qt is in the middle of laying docks out.
    const bool mayBeOutside = event->type() == QEvent::Show || event->type() == QEvent::Move;
    if (const auto* bar = mayBeOutside ? qobject_cast<QTabBar*>(watched) : nullptr;
        bar != nullptr && bar->count() < 2)
        QMetaObject::invokeMethod(this, &DockHost::tidyTabBars, Qt::QueuedConnection);
    return QMainWindow::eventFilter(watched, event);
}

void DockHost::refreshTitleBars() {
    tidyTabBars();
    for (QDockWidget* dock : m_docks) {
        const bool tabbed = !dock->isFloating() && !tabifiedDockWidgets(dock).isEmpty();
        if (tabbed == (dock->titleBarWidget() != nullptr))
            continue;
        QWidget* former = dock->titleBarWidget();
        dock->setTitleBarWidget(tabbed ? new QWidget(dock) : nullptr);
        delete former;
    }
}

}  // namespace meshreel

#include "moc_dock_host.cpp"
