// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/accessible_controls.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDialog>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSplitterHandle>
#include <QTabBar>
#include <QTextDocument>
#include <QTextEdit>
#include <algorithm>

namespace meshreel::testing {

namespace {

/// One control for the person using it, whatever it is made of.
bool isWhole(const QWidget& widget) {
    return qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
           qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
           qobject_cast<const QComboBox*>(&widget) != nullptr ||
           qobject_cast<const QLineEdit*>(&widget) != nullptr ||
           qobject_cast<const QMenuBar*>(&widget) != nullptr ||
           qobject_cast<const QPlainTextEdit*>(&widget) != nullptr ||
           qobject_cast<const QTabBar*>(&widget) != nullptr ||
           qobject_cast<const QTextEdit*>(&widget) != nullptr;
}

/// Of labels that are more than words to be read.
constexpr Qt::TextInteractionFlags forKeyboard = Qt::TextSelectableByKeyboard | Qt::LinksAccessibleByKeyboard;

/// Of a widget of Qt: those of docks, tool bars and scroll areas do what a person can do without them.
bool isPartOfQt(const QWidget& widget) {
    const bool isDivider = qobject_cast<const QSplitterHandle*>(&widget) != nullptr;
    return (widget.objectName().startsWith(QLatin1String("qt_")) && !isDivider) ||
           qobject_cast<const QScrollBar*>(&widget) != nullptr;
}

bool hasLetters(const QString& text) {
    return std::ranges::any_of(text, [](QChar character) { return character.isLetter(); });
}

QString plain(const QLabel& label) {
    if (label.textFormat() == Qt::PlainText ||
        (label.textFormat() == Qt::AutoText && !Qt::mightBeRichText(label.text())))
        return label.text();
    QTextDocument document;
    document.setHtml(label.text());
    return document.toPlainText();
}

/// Line ends and the marks of mnemonics do not matter.
QString spoken(QString text) {
    return text.remove(QLatin1Char('&')).simplified();
}

bool isToldOf(const QLabel& label) {
    QLabel* widget = const_cast<QLabel*>(&label);
    const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(widget);
    const QString words = spoken(plain(label));
    return spoken(told->text(QAccessible::Name)).contains(words) ||
           spoken(told->text(QAccessible::Description)).contains(words);
}

/// One of ours, not taken apart further: it paints what it shows.
bool paintsItself(const QWidget& widget) {
    const bool isOurs = QByteArrayView(widget.metaObject()->className()).startsWith("meshreel::");
    return isOurs && widget.findChild<QWidget*>() == nullptr &&
           qobject_cast<const QLabel*>(&widget) == nullptr;
}

QStringList untoldCells(const QAbstractItemView& view) {
    QStringList untold;
    const QAbstractItemModel* model = view.model();
    if (model == nullptr)
        return {};
    for (int row = 0; row < model->rowCount(view.rootIndex()); ++row)
        for (int column = 0; column < model->columnCount(view.rootIndex()); ++column) {
            const QModelIndex cell = model->index(row, column, view.rootIndex());
            const bool isPainted = view.itemDelegateForIndex(cell) != view.itemDelegate() ||
                                   !cell.data(Qt::DecorationRole).isNull();
            const bool isTold = !cell.data(Qt::AccessibleTextRole).toString().isEmpty() ||
                                !cell.data(Qt::DisplayRole).toString().isEmpty() ||
                                !cell.data(Qt::CheckStateRole).isNull();
            if (isPainted && !isTold)
                untold += QStringLiteral("column \"%1\" of %2")
                              .arg(model->headerData(column, Qt::Horizontal).toString(), described(view));
        }
    return untold;
}

template <typename Widget>
QList<Widget*> visible(const QWidget& part) {
    QList<Widget*> widgets;
    for (Widget* widget : part.findChildren<Widget*>())
        if (widget->isVisible() && widget->window() == part.window() && !isPartOfQt(*widget))
            widgets.append(widget);
    return widgets;
}

}  // namespace

QString accessibleName(QWidget& widget) {
    const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(&widget);
    return told == nullptr ? QString() : told->text(QAccessible::Name);
}

QString described(const QWidget& widget) {
    QStringList path;
    for (const QWidget* each = &widget; each != nullptr; each = each->parentWidget()) {
        const QString className = QString::fromLatin1(each->metaObject()->className());
        const bool isNamed = !each->objectName().isEmpty() && !isPartOfQt(*each);
        if (isNamed)
            path.prepend(QStringLiteral("%1(%2)").arg(className, each->objectName()));
        else if (each == &widget || className.startsWith(QLatin1String("meshreel")))
            path.prepend(className);
    }
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    const auto* label = qobject_cast<const QLabel*>(&widget);
    const QString words = button != nullptr  ? button->text()
                          : label != nullptr ? label->text()
                                             : accessibleName(const_cast<QWidget&>(widget));
    return QStringLiteral("%1 \"%2\"").arg(path.join(QLatin1String(" > ")), words);
}

QWidget* controlOf(QWidget* widget) {
    for (QWidget* ancestor = widget; ancestor != nullptr && !ancestor->isWindow();
         ancestor = ancestor->parentWidget())
        if (isWhole(*ancestor))
            widget = ancestor;
    while (widget->focusProxy() != nullptr)
        widget = widget->focusProxy();
    const auto* label = qobject_cast<QLabel*>(widget);
    const bool takesInput = label == nullptr ? widget->focusPolicy() != Qt::NoFocus ||
                                                   qobject_cast<QAbstractButton*>(widget) != nullptr ||
                                                   qobject_cast<QSplitterHandle*>(widget) != nullptr
                                             : (label->textInteractionFlags() & forKeyboard) != 0;
    return takesInput && widget->isEnabled() && !isPartOfQt(*widget) ? widget : nullptr;
}

QList<QWidget*> controlsIn(const QWidget& part) {
    QList<QWidget*> controls;
    for (QWidget* widget : visible<QWidget>(part)) {
        QWidget* control = controlOf(widget);
        if (control != nullptr && !controls.contains(control))
            controls.append(control);
    }
    return controls;
}

QStringList namelessControls(const QWidget& part) {
    QStringList nameless;
    for (QWidget* control : controlsIn(part))
        if (!hasLetters(accessibleName(*control)))
            nameless += described(*control);
    return nameless;
}

QStringList controlsOfOneName(const QWidget& part) {
    QStringList shared;
    QHash<QString, QWidget*> named;
    for (QWidget* control : controlsIn(part)) {
        // A button and a tool of one name do the same.
        QWidget*& first =
            named[accessibleName(*control) + QString::fromLatin1(control->metaObject()->className())];
        if (first != nullptr)
            shared += QStringLiteral("%1 and %2").arg(described(*first), described(*control));
        first = control;
    }
    return shared;
}

QStringList untoldTexts(const QWidget& part) {
    QStringList untold;
    for (const QLabel* label : visible<QLabel>(part)) {
        if (!label->text().isEmpty() && !isToldOf(*label))
            untold += described(*label);
        else if (!label->pixmap(Qt::ReturnByValue).isNull() && label->accessibleName().isEmpty())
            untold += QStringLiteral("picture of ") + described(*label);
    }
    for (QWidget* widget : visible<QWidget>(part))
        if (paintsItself(*widget) && (controlOf(widget) == nullptr || controlOf(widget) == widget) &&
            !hasLetters(accessibleName(*widget)))
            untold += described(*widget);
    for (const QAbstractItemView* view : visible<QAbstractItemView>(part))
        untold += untoldCells(*view);
    untold.removeDuplicates();
    return untold;
}

}  // namespace meshreel::testing
