// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/accessibility.h"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

namespace meshreel {

namespace {

/// Is hidden beside a combo box: Qt reports the chosen entry as the name of one, and takes the name from a
/// label with the same parent.
class UnseenLabel : public QLabel {
    Q_OBJECT

  public:
    explicit UnseenLabel(QComboBox& box) : QLabel(box.parentWidget()), m_box(box) {
        setTextFormat(Qt::PlainText);
        setBuddy(&box);
        hide();
        box.installEventFilter(this);
        connect(&box, &QObject::destroyed, this, &QObject::deleteLater);
    }

    /// Null when the box has none yet.
    static UnseenLabel* of(const QComboBox& box) {
        const auto labels =
            box.parentWidget()->findChildren<UnseenLabel*>(QString(), Qt::FindDirectChildrenOnly);
        const auto found =
            std::ranges::find_if(labels, [&](const QLabel* label) { return label->buddy() == &box; });
        return found == labels.end() ? nullptr : *found;
    }

  protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::ParentChange)
            setParent(m_box.parentWidget());
        return false;
    }

  private:
    QComboBox& m_box;
};

}  // namespace

void nameControl(QWidget& control, const QString& name) {
    control.setAccessibleName(name);
    auto* box = qobject_cast<QComboBox*>(&control);
    if (box == nullptr)
        return;
    UnseenLabel* label = UnseenLabel::of(*box);
    if (label == nullptr)
        label = new UnseenLabel(*box);
    label->setText(name);
}

namespace {

bool isStop(const QWidget& widget) {
    return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.focusProxy() == nullptr;
}

/// In reading order, which a grid's items need not have.
std::vector<QLayoutItem*> listItems(QLayout& layout) {
    struct Placed {
        int row = 0;
        int column = 0;
        QLayoutItem* item = nullptr;
    };
    const auto* grid = qobject_cast<QGridLayout*>(&layout);
    std::vector<Placed> placed;
    for (int index = 0; QLayoutItem* item = layout.itemAt(index); ++index) {
        Placed& place = placed.emplace_back(Placed{.item = item});
        int rows = 0;
        int columns = 0;
        if (grid != nullptr)
            grid->getItemPosition(index, &place.row, &place.column, &rows, &columns);
    }
    std::ranges::stable_sort(placed, {},
                             [](const Placed& place) { return std::tuple(place.row, place.column); });
    std::vector<QLayoutItem*> items;
    items.reserve(placed.size());
    for (const Placed& place : placed)
        items.push_back(place.item);
    return items;
}

void addLaidOut(QLayout& layout, QList<QWidget*>& widgets) {
    for (QLayoutItem* item : listItems(layout)) {
        if (item->widget() != nullptr)
            widgets.append(item->widget());
        else if (item->layout() != nullptr)
            addLaidOut(*item->layout(), widgets);
    }
}

void addStops(QWidget& part, QList<QWidget*>& stops) {
    if (isStop(part))
        stops.append(&part);
    QList<QWidget*> inside;
    if (const auto* tabs = qobject_cast<QTabWidget*>(&part))
        inside.append(tabs->tabBar());
    const auto* splitter = qobject_cast<QSplitter*>(&part);
    for (int index = 0; splitter != nullptr && index < splitter->count(); ++index)
        inside.append({splitter->handle(index), splitter->widget(index)});
    if (part.layout() != nullptr)
        addLaidOut(*part.layout(), inside);
    for (QWidget* child : part.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (!inside.contains(child))
            inside.append(child);
    for (QWidget* child : inside)
        if (!child->isWindow())
            addStops(*child, stops);
}

/// Returns the stop of the window before the first that is one of `stops`; null if there is none.
QWidget* stopBefore(QWidget& window, const QList<QWidget*>& stops) {
    QWidget* before = nullptr;
    for (QWidget* next = window.nextInFocusChain(); next != &window; next = next->nextInFocusChain()) {
        if (stops.contains(next))
            return before;
        if (isStop(*next))
            before = next;
    }
    return nullptr;
}

}  // namespace

void tabAsLaidOut(QWidget& part) {
    QList<QWidget*> stops;
    addStops(part, stops);
    QWidget* before = stopBefore(*part.window(), stops);
    // Backwards first: Qt moves no stop that has only widgets without focus between it and the one before it,
    // but goes to those of them that leave their focus to another (QWidget::setFocusProxy). What is a window
    // by itself keeps the stop that it begins with.
    if (!part.isWindow())
        for (auto stop = stops.crbegin(); stop != stops.crend() && std::next(stop) != stops.crend(); ++stop)
            QWidget::setTabOrder(*stop, *std::next(stop));
    for (QWidget* stop : stops) {
        if (before != nullptr)
            QWidget::setTabOrder(before, stop);
        before = stop;
    }
}

}  // namespace meshreel

#include "accessibility.moc"
