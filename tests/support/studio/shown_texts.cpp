// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/shown_texts.h"

#include <QAbstractButton>
#include <QAbstractItemDelegate>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QGraphicsView>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QScrollBar>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QTableView>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>
#include <algorithm>

#include "tests/support/studio/painted_texts.h"

namespace meshreel::testing {

namespace {

constexpr int editMargin = 2;  ///< QLineEdit leaves so much on each side of its text

/// Not in a panel behind others, whose widgets count as visible.
bool isInFront(const QWidget& widget) {
    if (!widget.isVisible())
        return false;
    for (const QWidget* parent = &widget; parent != nullptr && !parent->isWindow();
         parent = parent->parentWidget())
        if (qobject_cast<const QDockWidget*>(parent) != nullptr && parent->visibleRegion().isEmpty())
            return false;
    return true;
}

template <typename Widget>
QList<const Widget*> shown(const QWidget& root) {
    QList<const Widget*> widgets;
    for (const Widget* widget : root.findChildren<Widget*>())
        if (isInFront(*widget))
            widgets.append(widget);
    return widgets;
}

/// The scroll area that shows a part of this widget's children; null for others.
const QAbstractScrollArea* areaOf(const QWidget& viewport) {
    const auto* area = qobject_cast<const QAbstractScrollArea*>(viewport.parentWidget());
    return area != nullptr && area->viewport() == &viewport ? area : nullptr;
}

bool canScroll(const QScrollBar& bar, Qt::ScrollBarPolicy policy) {
    return policy != Qt::ScrollBarAlwaysOff && bar.maximum() > bar.minimum();
}

/// Whether a parent leaves only a part of it, for good.
bool isBeyondParents(const QWidget& widget) {
    constexpr int frame = 1;  // QSplitter hides so much of its first child's in right-to-left layouts
    QRect place = widget.rect();
    for (const QWidget* child = &widget; !child->isWindow(); child = child->parentWidget()) {
        const QWidget& parent = *child->parentWidget();
        place.translate(child->pos());
        const QAbstractScrollArea* area = areaOf(parent);
        const bool scrollsAcross =
            area != nullptr && canScroll(*area->horizontalScrollBar(), area->horizontalScrollBarPolicy());
        const bool scrollsDown =
            area != nullptr && canScroll(*area->verticalScrollBar(), area->verticalScrollBarPolicy());
        const QRect room = parent.rect().marginsAdded(QMargins(frame, frame, frame, frame));
        if (!scrollsAcross && (place.left() < room.left() || place.right() > room.right()))
            return true;
        if (!scrollsDown && (place.top() < room.top() || place.bottom() > room.bottom()))
            return true;
        if (area != nullptr)
            place = parent.rect();
    }
    return false;
}

int widthOf(const QWidget& widget, const QString& text) {
    return widget.fontMetrics().horizontalAdvance(text);
}

/// Collects what is cut off.
class Findings {
  public:
    void add(const QWidget& widget, const QString& text, const QString& why) {
        const QString name = widget.objectName();
        m_texts += QStringLiteral("%1%2 “%3” %4")
                       .arg(QLatin1String(widget.metaObject()->className()),
                            name.isEmpty() ? name : QLatin1Char(' ') + name, text, why);
    }
    void check(const QWidget& widget, const QString& text, bool isCut) {
        if (text.isEmpty())
            return;
        if (isCut)
            add(widget, text,
                QStringLiteral("has %1×%2 and wants %3×%4")
                    .arg(widget.width())
                    .arg(widget.height())
                    .arg(widget.sizeHint().width())
                    .arg(widget.sizeHint().height()));
        else if (isBeyondParents(widget))
            add(widget, text, QStringLiteral("is beyond what its parents show"));
    }
    [[nodiscard]] const QStringList& texts() const { return m_texts; }

  private:
    QStringList m_texts;
};

void checkBox(const QComboBox& box, Findings& findings) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    option.editable = box.isEditable();
    const int room =
        box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box).width();
    for (int choice = 0; choice < box.count(); ++choice) {
        const QString text = box.itemText(choice);
        const int icon = box.itemIcon(choice).isNull() ? 0 : box.iconSize().width() + 2 * editMargin;
        const bool isTold = box.itemData(choice, Qt::ToolTipRole).toString().contains(text) &&
                            (choice != box.currentIndex() || box.toolTip().contains(text));
        findings.check(box, text, widthOf(box, text) + icon > room && !isTold);
    }
}

/// What is left of it beside its icons.
int roomOf(const QLineEdit& edit) {
    QRect room = edit.contentsRect().marginsRemoved(edit.textMargins());
    for (const auto* icon : edit.findChildren<QToolButton*>())
        if (icon->isVisible() && icon->geometry().center().x() < room.center().x())
            room.setLeft(icon->geometry().right() + 1);
        else if (icon->isVisible())
            room.setRight(icon->geometry().left() - 1);
    return room.width() - 2 * editMargin;
}

void checkEdit(const QLineEdit& edit, Findings& findings) {
    const bool isNumber = qobject_cast<const QAbstractSpinBox*>(edit.parentWidget()) != nullptr;
    const QString text = isNumber                ? edit.displayText()
                         : edit.text().isEmpty() ? edit.placeholderText()
                                                 : QString();  // what is typed can be moved along
    findings.check(edit, text, widthOf(edit, text) > roomOf(edit));
}

void checkTabs(const QTabBar& bar, Findings& findings) {
    const int margins = bar.style()->pixelMetric(QStyle::PM_TabBarTabHSpace, nullptr, &bar);
    for (int tab = 0; tab < bar.count(); ++tab)
        if (bar.isTabVisible(tab))
            findings.check(bar, bar.tabText(tab),
                           widthOf(bar, bar.tabText(tab)) + margins > bar.tabRect(tab).width());
}

void checkProgress(const QProgressBar& bar, Findings& findings) {
    if (bar.isTextVisible())
        findings.check(bar, bar.text(), widthOf(bar, bar.text()) > bar.width());
}

/// What pointing at this place tells, with plain spaces.
QString tipAt(const QWidget& viewport, QPoint place) {
    QHelpEvent event(QEvent::ToolTip, place, viewport.mapToGlobal(place));
    QApplication::sendEvent(const_cast<QWidget*>(&viewport), &event);
    const QString tip = event.isAccepted() ? QToolTip::text() : QString();
    return (Qt::mightBeRichText(tip) ? QTextDocumentFragment::fromHtml(tip).toPlainText() : tip).simplified();
}

void checkHeadings(const QHeaderView& header, Findings& findings) {
    for (int section = 0; section < header.count(); ++section) {
        const int wanted = header.sectionSizeHint(section);
        if (header.isSectionHidden(section) || wanted <= header.sectionSize(section))
            continue;
        const QString text = header.model()->headerData(section, header.orientation()).toString();
        const QPoint place(header.sectionViewportPosition(section) + editMargin, header.height() / 2);
        if (header.textElideMode() == Qt::ElideNone ||
            !tipAt(*header.viewport(), place).contains(text.simplified()))
            findings.add(header, text,
                         QStringLiteral("has %1 and wants %2").arg(header.sectionSize(section)).arg(wanted));
    }
}

bool wraps(const QAbstractItemView& view) {
    if (const auto* table = qobject_cast<const QTableView*>(&view))
        return table->wordWrap();
    const auto* tree = qobject_cast<const QTreeView*>(&view);
    return tree != nullptr && tree->wordWrap();
}

bool isCutCell(const QAbstractItemView& view, const QModelIndex& cell, const QSize& room) {
    const QSize wanted = view.sizeHintForIndex(cell);
    if (!wraps(view))
        return wanted.width() > room.width();
    const int margins = wanted.width() - widthOf(view, cell.data().toString());
    const QRect lines(0, 0, room.width() - std::max(0, margins), room.height());
    const QRect text = view.fontMetrics().boundingRect(lines, Qt::TextWordWrap, cell.data().toString());
    return wanted.width() > room.width() && (text.height() > room.height() || text.width() > lines.width());
}

/// Rows that are in sight, down from `parent`.
void checkCells(const QAbstractItemView& view, const QModelIndex& parent, Findings& findings) {
    const QAbstractItemModel& model = *view.model();
    for (int row = 0; row < model.rowCount(parent); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column) {
            const QModelIndex cell = model.index(row, column, parent);
            const QString text = cell.data().toString();
            const QRect place = view.visualRect(cell);
            const QPoint inside = place.intersected(view.viewport()->rect()).center();
            if (text.isEmpty() || view.indexAt(inside) != cell || !isCutCell(view, cell, place.size()))
                continue;
            if (!tipAt(*view.viewport(), inside).contains(text.simplified()))
                findings.add(view, text,
                             QStringLiteral("in column %1 has %2 and wants %3, without a tool tip")
                                 .arg(column)
                                 .arg(place.width())
                                 .arg(view.sizeHintForIndex(cell).width()));
        }
        checkCells(view, model.index(row, 0, parent), findings);
    }
}

bool isOfTheStudio(const QObject& object) {
    return QByteArrayView(object.metaObject()->className()).startsWith("meshreel::");
}

/// Whether nothing else here knows what the widget shows.
bool paintsByItself(const QWidget& widget) {
    if (const auto* area = qobject_cast<const QGraphicsView*>(widget.parentWidget()))
        return area->viewport() == &widget;
    if (const auto* view = qobject_cast<const QAbstractItemView*>(widget.parentWidget()))
        return view->viewport() == &widget && view->itemDelegate() != nullptr &&
               isOfTheStudio(*view->itemDelegate());
    return isOfTheStudio(widget) && qobject_cast<const QAbstractButton*>(&widget) == nullptr &&
           qobject_cast<const QLabel*>(&widget) == nullptr &&
           qobject_cast<const QLineEdit*>(&widget) == nullptr &&
           qobject_cast<const QComboBox*>(&widget) == nullptr &&
           qobject_cast<const QAbstractScrollArea*>(&widget) == nullptr;
}

void checkPainting(QWidget& widget, Findings& findings) {
    for (const PaintedText& painted : paintedTexts(widget)) {
        if (!painted.isClipped && !painted.isShortened())
            continue;
        const QString tip = tipAt(widget, painted.place);
        const QStringList parts = painted.parts();
        if (!std::ranges::all_of(parts, [&](const QString& part) { return tip.contains(part.simplified()); }))
            findings.add(widget, painted.text,
                         QStringLiteral("is painted so, and no tool tip tells the rest"));
    }
}

}  // namespace

bool isCut(const QLabel& label) {
    if (!label.wordWrap())
        return label.sizeHint().width() > label.width() || label.sizeHint().height() > label.height();
    return label.minimumSizeHint().width() > label.width() ||
           label.heightForWidth(label.width()) > label.height();
}

bool isCut(const QAbstractButton& button) {
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    const bool onlyIcon =
        tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull();
    return !onlyIcon &&
           (button.sizeHint().width() > button.width() || button.fontMetrics().height() > button.height());
}

QStringList cutTexts(const QWidget& root) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);  // for texts that came just now
    Findings findings;
    for (const auto* label : shown<QLabel>(root))
        findings.check(*label, label->text(), isCut(*label));
    for (const auto* button : shown<QAbstractButton>(root))
        findings.check(*button, button->text(), isCut(*button));
    for (const auto* box : shown<QComboBox>(root))
        checkBox(*box, findings);
    for (const auto* edit : shown<QLineEdit>(root))
        checkEdit(*edit, findings);
    for (const auto* bar : shown<QTabBar>(root))
        if (bar->isEnabled() || bar->count() > 1)  // else it is one that Qt keeps beyond the window
            checkTabs(*bar, findings);
    for (const auto* bar : shown<QProgressBar>(root))
        checkProgress(*bar, findings);
    for (const auto* header : shown<QHeaderView>(root))
        if (header->orientation() == Qt::Horizontal)
            checkHeadings(*header, findings);
    for (const auto* view : shown<QAbstractItemView>(root))
        if (qobject_cast<const QHeaderView*>(view) == nullptr && view->model() != nullptr)
            checkCells(*view, view->rootIndex(), findings);
    for (const auto* widget : shown<QWidget>(root))
        if (paintsByItself(*widget))
            checkPainting(const_cast<QWidget&>(*widget), findings);
    return findings.texts();
}

}  // namespace meshreel::testing
