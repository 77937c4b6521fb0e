// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QToolButton>

namespace meshreel::testing {

inline bool isCut(const QLabel& label) {
    if (!label.wordWrap())
        return label.sizeHint().width() > label.width();
    return label.minimumSizeHint().width() > label.width() ||
           label.heightForWidth(label.width()) > label.height();
}

inline bool isCut(const QAbstractButton& button) {
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    const bool onlyIcon =
        tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull();
    return !onlyIcon && button.sizeHint().width() > button.width();
}

inline bool isCut(const QComboBox& box) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    const QRect field =
        box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box);
    return box.fontMetrics().horizontalAdvance(box.currentText()) > field.width();
}

inline bool isCut(const QLineEdit& edit) {
    return edit.text().isEmpty() &&
           edit.fontMetrics().horizontalAdvance(edit.placeholderText()) > edit.contentsRect().width();
}

template <typename Widget>
QList<const Widget*> shown(const QWidget& window) {
    QList<const Widget*> widgets;
    for (const Widget* widget : window.findChildren<Widget*>()) {
        if (widget->isVisible() && !widget->visibleRegion().isEmpty())
            widgets.append(widget);
    }
    return widgets;
}

inline QStringList cutTabs(const QTabBar& bar) {
    QStringList cut;
    for (int tab = 0; tab < bar.count(); ++tab) {
        if (bar.isTabVisible(tab) &&
            bar.fontMetrics().horizontalAdvance(bar.tabText(tab)) > bar.tabRect(tab).width())
            cut.append(bar.tabText(tab));
    }
    return cut;
}

inline QStringList cutHeadings(const QHeaderView& header) {
    QStringList cut;
    for (int section = 0; section < header.count(); ++section) {
        if (!header.isSectionHidden(section) && header.sectionSizeHint(section) > header.sectionSize(section))
            cut.append(header.model()->headerData(section, header.orientation()).toString());
    }
    return cut;
}

/// The texts in sight that are cut off.
inline QStringList cutTexts(const QWidget& window) {
    QStringList cut;
    for (const auto* label : shown<QLabel>(window))
        if (isCut(*label))
            cut.append(label->text());
    for (const auto* button : shown<QAbstractButton>(window))
        if (!button->text().isEmpty() && isCut(*button))
            cut.append(button->text());
    for (const auto* box : shown<QComboBox>(window))
        if (isCut(*box))
            cut.append(box->currentText());
    for (const auto* edit : shown<QLineEdit>(window))
        if (isCut(*edit))
            cut.append(edit->placeholderText());
    for (const auto* bar : shown<QTabBar>(window))
        cut.append(cutTabs(*bar));
    for (const auto* header : shown<QHeaderView>(window))
        if (header->orientation() == Qt::Horizontal)
            cut.append(cutHeadings(*header));
    return cut;
}

}  // namespace meshreel::testing
