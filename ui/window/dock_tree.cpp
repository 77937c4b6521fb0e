// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dock_tree.h"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <QStyle>
#include <QTabBar>
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace meshreel {

namespace {

/// What a panel in front and its tabs take of the window.
struct PlacedDock {
    DockPart part;
    QRect area;

    [[nodiscard]] int begin(Qt::Orientation orientation) const {
        return orientation == Qt::Horizontal ? area.left() : area.top();
    }
    [[nodiscard]] int end(Qt::Orientation orientation) const {
        return orientation == Qt::Horizontal ? area.right() : area.bottom();
    }
};

int along(Qt::Orientation orientation, const QSize& size) {
    return orientation == Qt::Horizontal ? size.width() : size.height();
}

QList<QDockWidget*> listDocks(const QMainWindow& window) {
    return window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly);
}

/// Qt keeps panels behind tabs outside the window.
bool isInFront(const QDockWidget& dock) {
    return !dock.isFloating() && !dock.isHidden() && dock.geometry().right() >= 0;
}

int findTab(const QTabBar& bar, const QDockWidget& dock) {
    for (int tab = 0; tab < bar.count(); ++tab)
        if (bar.tabText(tab) == dock.windowTitle())
            return tab;
    return -1;
}

/// Returns null for a panel without tabs. A row of one tab is not shown.
const QTabBar* findTabBar(const QMainWindow& window, const QDockWidget& front) {
    for (const QTabBar* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        if (bar->count() > 1 && bar->isVisible() && findTab(*bar, front) >= 0)
            return bar;
    return nullptr;
}

/// Returns them in the order of their tabs, then the closed ones.
QList<QDockWidget*> tabsBeside(const QMainWindow& window, QDockWidget* front, const QTabBar* bar) {
    QList<QDockWidget*> tabs{front};
    tabs += window.tabifiedDockWidgets(front);
    std::ranges::stable_sort(tabs, {}, [bar](const QDockWidget* dock) {
        const int tab = bar == nullptr || dock->isHidden() ? -1 : findTab(*bar, *dock);
        return tab < 0 ? std::numeric_limits<int>::max() : tab;
    });
    return tabs;
}

DockPart single(QDockWidget* dock) {
    return {.tabs = {dock}, .front = dock};
}

/// Cuts along lines that nothing crosses; one group without such lines.
std::vector<std::vector<PlacedDock>> cut(std::vector<PlacedDock> placed, Qt::Orientation orientation) {
    std::ranges::sort(placed, {}, [orientation](const PlacedDock& one) { return one.begin(orientation); });
    std::vector<std::vector<PlacedDock>> groups;
    int end = 0;
    for (PlacedDock& one : placed) {
        if (groups.empty() || one.begin(orientation) > end)
            groups.emplace_back();
        end = std::max(end, one.end(orientation));
        groups.back().push_back(std::move(one));
    }
    return groups;
}

DockPart built(std::vector<PlacedDock> placed) {
    if (placed.size() == 1)
        return std::move(placed.front().part);
    for (const Qt::Orientation orientation : {Qt::Horizontal, Qt::Vertical}) {
        std::vector<std::vector<PlacedDock>> groups = cut(placed, orientation);
        if (groups.size() == 1)
            continue;
        DockPart whole{.orientation = orientation};
        for (std::vector<PlacedDock>& group : groups) {
            QRect area;
            for (const PlacedDock& one : group)
                area |= one.area;
            whole.parts.push_back(built(std::move(group)));
            whole.parts.back().extent = along(orientation, area.size());
        }
        return whole;
    }
    DockPart row;  // they overlap, as while Qt moves them
    for (PlacedDock& one : placed) {
        row.parts.push_back(std::move(one.part));
        row.parts.back().extent = one.area.width();
    }
    return row;
}

bool isEmpty(const DockPart& part) {
    return part.parts.empty() && part.front == nullptr;
}

void removeFrom(DockPart& part, QDockWidget* dock) {
    if (part.tabs.removeOne(dock) && part.front == dock) {
        const auto open = std::ranges::find_if_not(part.tabs, &QDockWidget::isHidden);
        part.front = open == part.tabs.end() ? nullptr : *open;
    }
    for (DockPart& inner : part.parts)
        removeFrom(inner, dock);
    std::erase_if(part.parts, isEmpty);
    if (part.parts.size() != 1)
        return;
    DockPart only = std::move(part.parts.front());
    only.extent = part.extent;
    part = std::move(only);
}

DockPart beside(DockPart former, DockSide side, DockPart added) {
    const bool isAcross = side == DockSide::Left || side == DockSide::Right;
    const bool isBefore = side == DockSide::Left || side == DockSide::Above;
    DockPart whole{.extent = former.extent, .orientation = isAcross ? Qt::Horizontal : Qt::Vertical};
    former.extent = 1;
    added.extent = 1;
    whole.parts.push_back(std::move(isBefore ? added : former));
    whole.parts.push_back(std::move(isBefore ? former : added));
    return whole;
}

DockPart* leafOf(DockPart& part, QDockWidget* dock) {
    if (part.tabs.contains(dock))
        return &part;
    for (DockPart& inner : part.parts)
        if (DockPart* leaf = leafOf(inner, dock))
            return leaf;
    return nullptr;
}

/// Widens in the innermost whole that has parts this way; returns false if none has.
bool widenIn(DockPart& part, QDockWidget* dock, Qt::Orientation orientation, int pixels) {
    const auto inner = std::ranges::find_if(
        part.parts, [dock](DockPart& candidate) { return leafOf(candidate, dock) != nullptr; });
    if (inner == part.parts.end())
        return false;
    if (widenIn(*inner, dock, orientation, pixels))
        return true;
    if (part.orientation != orientation)
        return false;
    DockPart& next = std::next(inner) == part.parts.end() ? *std::prev(inner) : *std::next(inner);
    const int given = std::clamp(pixels, 1 - inner->extent, next.extent - 1);
    inner->extent += given;
    next.extent -= given;
    return true;
}

std::vector<const DockPart*> listLeaves(const DockPart& part) {
    if (part.parts.empty())
        return {&part};
    std::vector<const DockPart*> leaves;
    for (const DockPart& inner : part.parts)
        std::ranges::copy(listLeaves(inner), std::back_inserter(leaves));
    return leaves;
}

QDockWidget* firstDock(const DockPart& part) {
    return listLeaves(part).front()->tabs.first();
}

/// One panel of each row, as what stands behind tabs cannot be split.
void split(const DockPart& part, QMainWindow& window) {
    for (std::size_t index = 1; index < part.parts.size(); ++index)
        window.splitDockWidget(firstDock(part.parts[index - 1]), firstDock(part.parts[index]),
                               part.orientation);
    for (const DockPart& inner : part.parts)
        split(inner, window);
}

/// What there is for each of listLeaves().
void addRooms(const DockPart& part, QSize room, int separator, std::vector<QSize>& rooms) {
    if (part.parts.empty()) {
        rooms.push_back(room);
        return;
    }
    const auto separators = static_cast<int>(part.parts.size()) - 1;
    const int pixels = along(part.orientation, room) - separators * separator;
    const int whole = std::accumulate(part.parts.begin(), part.parts.end(), 0,
                                      [](int sum, const DockPart& inner) { return sum + inner.extent; });
    for (const DockPart& inner : part.parts) {
        const int share = pixels * inner.extent / std::max(whole, 1);
        addRooms(
            inner,
            part.orientation == Qt::Horizontal ? QSize(share, room.height()) : QSize(room.width(), share),
            separator, rooms);
    }
}

}  // namespace

DockTree DockTree::of(const QMainWindow& window, const std::vector<QDockWidget*>& drawer) {
    window.layout()->activate();
    std::vector<PlacedDock> placed;
    for (QDockWidget* dock : listDocks(window)) {
        if (!isInFront(*dock))
            continue;
        const QTabBar* bar = findTabBar(window, *dock);
        PlacedDock front{.part = single(dock), .area = dock->geometry()};
        front.part.tabs = tabsBeside(window, dock, bar);
        if (bar != nullptr)
            front.area |= bar->geometry();
        placed.push_back(std::move(front));
    }
    QList<QDockWidget*> known;
    for (const PlacedDock& one : placed)
        known += one.part.tabs;
    DockTree tree;
    if (!placed.empty())
        tree.m_root = built(std::move(placed));
    for (QDockWidget* dock : drawer)
        if (!known.contains(dock) && !dock->isFloating())
            tree.m_closed.append(dock);
    return tree;
}

QList<QDockWidget*> DockTree::fronts() const {
    QList<QDockWidget*> fronts;
    for (const DockPart* leaf : listLeaves(m_root))
        if (leaf->front != nullptr)
            fronts.append(leaf->front);
    return fronts;
}

void DockTree::remove(QDockWidget* dock) {
    removeFrom(m_root, dock);
    m_closed.removeOne(dock);
}

void DockTree::putAtEdge(DockSide side, QDockWidget* dock) {
    constexpr int times = 2;  // the panel becomes as large as the rest
    if (isEmpty(m_root)) {
        m_root = single(dock);
        return;
    }
    m_root = beside(std::move(m_root), side, single(dock));
    for (DockPart& part : m_root.parts)
        if (part.front != dock)
            part.extent = times;
}

void DockTree::putBeside(QDockWidget* neighbour, DockSide side, QDockWidget* dock) {
    if (DockPart* leaf = leafOf(m_root, neighbour))
        *leaf = beside(std::move(*leaf), side, single(dock));
}

void DockTree::putBehind(QDockWidget* neighbour, QDockWidget* dock) {
    if (DockPart* leaf = leafOf(m_root, neighbour)) {
        leaf->tabs.append(dock);
        leaf->front = dock;
    }
}

void DockTree::widen(QDockWidget* dock, Qt::Orientation orientation, int pixels) {
    widenIn(m_root, dock, orientation, pixels);
}

void DockTree::arrange(QMainWindow& window) const {
    if (isEmpty(m_root))
        return;
    window.addDockWidget(Qt::LeftDockWidgetArea, firstDock(m_root));
    split(m_root, window);
    const std::vector<const DockPart*> leaves = listLeaves(m_root);
    const QList<QDockWidget*> longest =
        (*std::ranges::max_element(leaves, {}, [](const DockPart* leaf) { return leaf->tabs.size(); }))->tabs;
    QList<QDockWidget*> placed;
    const auto stack = [&](const QList<QDockWidget*>& tabs) {
        for (QDockWidget* dock : tabs.mid(1))
            window.tabifyDockWidget(tabs.first(), dock);
        placed += tabs;
    };
    if (!m_closed.isEmpty())
        window.splitDockWidget(longest.first(), m_closed.first(), Qt::Vertical);
    for (const DockPart* leaf : leaves)
        stack(leaf->tabs);
    if (!m_closed.isEmpty())
        stack(m_closed);
    for (QDockWidget* dock : listDocks(window))
        if (dock->isHidden() && !dock->isFloating() && !placed.contains(dock))
            window.tabifyDockWidget(longest.first(), dock);
    for (QDockWidget* front : fronts())
        front->raise();
    shareRoom(window);
}

void DockTree::shareRoom(QMainWindow& window) const {
    std::vector<QSize> rooms;
    addRooms(m_root, window.size(),
             window.style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, &window), rooms);
    for (const Qt::Orientation orientation : {Qt::Horizontal, Qt::Vertical}) {
        QList<int> extents;
        for (const QSize& room : rooms)
            extents.append(along(orientation, room));
        window.resizeDocks(fronts(), extents, orientation);
    }
}

}  // namespace meshreel
