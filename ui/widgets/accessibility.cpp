// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/accessibility.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QAccessibleWidget>
#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

namespace meshreel {

namespace {

/// A combo box as assistive tools see it: called what it chooses, with what is chosen as its value. Qt on
/// Unix gives the chosen entry as the name, so that nobody hears what is chosen there.
class NamedComboBox : public QAccessibleWidget {
  public:
    explicit NamedComboBox(QComboBox* box) : QAccessibleWidget(box, QAccessible::ComboBox), m_box(*box) {}

    [[nodiscard]] int childCount() const override { return m_box.isEditable() ? 2 : 1; }

    [[nodiscard]] QAccessibleInterface* child(int index) const override {
        if (index == List)
            return QAccessible::queryAccessibleInterface(m_box.view());
        return index == Line && m_box.isEditable() ? QAccessible::queryAccessibleInterface(m_box.lineEdit())
                                                   : nullptr;
    }

    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override {
        const bool isInLine = m_box.isEditable() && m_box.lineEdit()->rect().contains(
                                                        m_box.lineEdit()->mapFromGlobal(QPoint(x, y)));
        return isInLine ? child(Line) : nullptr;
    }

    [[nodiscard]] int indexOfChild(const QAccessibleInterface* inner) const override {
        if (inner->object() == m_box.view())
            return List;
        return m_box.isEditable() && inner->object() == m_box.lineEdit() ? Line : -1;
    }

    [[nodiscard]] QString text(QAccessible::Text kind) const override {
        if (kind == QAccessible::Value)
            return m_box.currentText();
        const QString words = QAccessibleWidget::text(kind);
        // Tools that read no value say the description after the name.
        return kind != QAccessible::Description ? words
               : words.isEmpty()                ? m_box.currentText()
                                                : QStringLiteral("%1: %2").arg(m_box.currentText(), words);
    }

    [[nodiscard]] QStringList actionNames() const override { return {showMenuAction(), pressAction()}; }

    void doAction(const QString& name) override {
        if (name != showMenuAction() && name != pressAction())
            return;
        if (m_box.view()->isVisible())
            m_box.hidePopup();
        else
            m_box.showPopup();
    }

    [[nodiscard]] QStringList keyBindingsForAction(const QString& /*name*/) const override { return {}; }

  private:
    enum Child { List, Line };

    QComboBox& m_box;
};

QAccessibleInterface* makeNamedComboBox(const QString& className, QObject* object) {
    auto* box = className == QLatin1String("QComboBox") ? qobject_cast<QComboBox*>(object) : nullptr;
    return box == nullptr ? nullptr : new NamedComboBox(box);
}

}  // namespace

void tellNamesOfBoxes() {
    QAccessible::installFactory(makeNamedComboBox);  // once; the last one is asked first
}

void nameControl(QWidget& control, const QString& name) {
    tellNamesOfBoxes();
    control.setAccessibleName(name);
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

// Goes through the part's first stop, because Qt moves none that has only widgets without focus between it
// and the one before it; and from those Tab would continue to what they leave their focus to.
void tabBehind(QWidget& part, const QList<QWidget*>& stops) {
    QWidget* first = nullptr;
    QWidget* last = nullptr;
    const QWidget* window = part.window();
    for (QWidget* next = window->nextInFocusChain(); next != window; next = next->nextInFocusChain())
        if (part.isAncestorOf(next) && (next->focusPolicy() & Qt::TabFocus) != 0 &&
            next->focusProxy() == nullptr) {
            first = first == nullptr ? next : first;
            last = next;
        }
    for (QWidget* stop : stops) {
        QWidget::setTabOrder(first, stop);
        QWidget::setTabOrder(last, stop);
        last = stop;
    }
}

}  // namespace meshreel
