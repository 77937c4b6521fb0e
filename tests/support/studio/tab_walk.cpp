// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/tab_walk.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QButtonGroup>
#include <QMenu>
#include <QScrollArea>
#include <QSet>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "tests/support/studio/accessible_controls.h"

namespace meshreel::testing {

namespace {

constexpr int mostInside = 8;  ///< presses within one widget: from link to link of a label

/// It, or what covers it of its own.
bool isInSight(const QWidget& widget) {
    const QList<QWidget*> inside = widget.findChildren<QWidget*>();
    return !widget.visibleRegion().isEmpty() || std::ranges::any_of(inside, [](const QWidget* child) {
        return !child->visibleRegion().isEmpty();
    });
}

/// One Tab stop for all, and the arrow keys from there.
bool isBeside(const QAbstractButton& button, const QList<QWidget*>& stops) {
    return std::ranges::any_of(stops, [&](const QWidget* stop) {
        const auto* other = qobject_cast<const QAbstractButton*>(stop);
        if (other == nullptr || other == &button)
            return false;
        const bool sameGroup =
            button.group() != nullptr && button.group() == other->group() && button.group()->exclusive();
        return sameGroup || (button.autoExclusive() && other->autoExclusive() &&
                             button.parentWidget() == other->parentWidget());
    });
}

bool isInMenu(const QAction& action, const QList<QWidget*>& stops) {
    return std::ranges::any_of(action.associatedObjects(), [&](QObject* place) {
        auto* widget = qobject_cast<QWidget*>(place);
        return qobject_cast<QMenu*>(place) != nullptr ||
               (widget != nullptr && widget->contextMenuPolicy() == Qt::ActionsContextMenu &&
                (stops.contains(widget) || !widget->isVisible()));
    });
}

bool hasActionElsewhere(const QWidget& control, const QList<QWidget*>& stops) {
    const auto* tool = qobject_cast<const QToolButton*>(&control);
    const QAction* action = tool == nullptr ? nullptr : tool->defaultAction();
    return action != nullptr && (!action->shortcut().isEmpty() || isInMenu(*action, stops));
}

/// As laid out, wherever it is scrolled to.
QRect rectIn(const QWidget& part, const QWidget& widget) {
    return {widget.mapTo(&part, QPoint()), widget.size()};
}

/// For where `widget` is beside `other`: what scrolls the one and not the other, wherever that is scrolled
/// to.
const QWidget& seenBeside(const QWidget& widget, const QWidget& other) {
    const QWidget* seen = &widget;
    for (const QWidget* parent = widget.parentWidget(); parent != nullptr && !parent->isAncestorOf(&other);
         parent = parent->parentWidget())
        if (qobject_cast<const QScrollArea*>(parent) != nullptr)
            seen = parent;
    return *seen;
}

bool overlap(int low, int high, int otherLow, int otherHigh) {
    return low <= otherHigh && otherLow <= high;
}

bool isLeap(const QRect& from, const QRect& to) {
    const bool sameColumn = overlap(from.left(), from.right(), to.left(), to.right());
    const bool sameLine = overlap(from.top(), from.bottom(), to.top(), to.bottom());
    return (sameColumn && to.bottom() < from.top()) || (sameLine && to.right() < from.left());
}

}  // namespace

TabWalk walkByTab(QWidget& window) {
    TabWalk walk;
    QSet<QWidget*> seen;
    if (QApplication::focusWidget() == nullptr)
        QTest::keyClick(&window, Qt::Key_Tab);
    while (QApplication::focusWidget() != nullptr && !seen.contains(QApplication::focusWidget())) {
        QWidget* stop = QApplication::focusWidget();
        QWidget* control = controlOf(stop);
        seen.insert(stop);
        walk.stops.append(control == nullptr ? stop : control);
        if (!isInSight(*stop))
            walk.troubles += QStringLiteral("nobody sees ") + described(*stop);
        for (int press = 0; press < mostInside && QApplication::focusWidget() == stop; ++press)
            QTest::keyClick(stop, Qt::Key_Tab);
        if (QApplication::focusWidget() == stop) {
            if (walk.stops.size() > 1)  // else it is all there is, or the others are not reached
                walk.troubles += QStringLiteral("Tab leads no further from ") + described(*stop);
            break;
        }
    }
    return walk;
}

QStringList unreachableControls(const QWidget& part, const TabWalk& walk) {
    QStringList unreachable;
    for (const QWidget* control : controlsIn(part)) {
        const auto* button = qobject_cast<const QAbstractButton*>(control);
        const bool isReached = walk.stops.contains(control) ||
                               (button != nullptr && isBeside(*button, walk.stops)) ||
                               hasActionElsewhere(*control, walk.stops);
        if (!isReached)
            unreachable += described(*control);
    }
    return unreachable;
}

QStringList leapsIn(const QWidget& part, const TabWalk& walk) {
    QStringList leaps;
    const QWidget* last = nullptr;
    bool hasLeft = false;
    for (const QWidget* stop : walk.stops) {
        if (!part.isAncestorOf(stop)) {
            hasLeft = hasLeft || last != nullptr;
            continue;
        }
        const bool goesInside = last != nullptr && last->isAncestorOf(stop);
        if (last != nullptr && !goesInside &&
            (hasLeft ||
             isLeap(rectIn(part, seenBeside(*last, *stop)), rectIn(part, seenBeside(*stop, *last)))))
            leaps += QStringLiteral("%1%2 after %3")
                         .arg(hasLeft ? QStringLiteral("comes back to ") : QString(), described(*stop),
                              described(*last));
        hasLeft = false;
        last = stop;
    }
    return leaps;
}

}  // namespace meshreel::testing
