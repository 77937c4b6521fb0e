// SPDX-License-Identifier: GPL-3.0-or-later
// Every panel of the Studio in every language, at the window's first size: no text is cut off by its widget.
#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QSettings>
#include <QSignalSpy>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include "ui/application.h"
#include "ui/controller/plan_watch.h"
#include "ui/dock_host.h"
#include "ui/main_window.h"

using namespace meshreel;

namespace {

constexpr QSize windowSize{1280, 800};

bool isCut(const QLabel& label) {
    if (!label.wordWrap())
        return label.sizeHint().width() > label.width();
    return label.minimumSizeHint().width() > label.width() ||
           label.heightForWidth(label.width()) > label.height();
}

bool isCut(const QAbstractButton& button) {
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    const bool onlyIcon =
        tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull();
    return !onlyIcon && button.sizeHint().width() > button.width();
}

bool isCut(const QComboBox& box) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    const QRect field =
        box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box);
    return box.fontMetrics().horizontalAdvance(box.currentText()) > field.width();
}

bool isCut(const QLineEdit& edit) {
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

QStringList cutTabs(const QTabBar& bar) {
    QStringList cut;
    for (int tab = 0; tab < bar.count(); ++tab) {
        if (bar.isTabVisible(tab) &&
            bar.fontMetrics().horizontalAdvance(bar.tabText(tab)) > bar.tabRect(tab).width())
            cut.append(bar.tabText(tab));
    }
    return cut;
}

QStringList cutHeadings(const QHeaderView& header) {
    QStringList cut;
    for (int section = 0; section < header.count(); ++section) {
        if (!header.isSectionHidden(section) && header.sectionSizeHint(section) > header.sectionSize(section))
            cut.append(header.model()->headerData(section, header.orientation()).toString());
    }
    return cut;
}

/// The texts in sight that are cut off.
QStringList cutTexts(const QWidget& window) {
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

}  // namespace

class CutOffTest : public QObject {
    Q_OBJECT

  private slots:
    void seesWhatIsCut();
    void everyTextHasRoom_data();
    void everyTextHasRoom();
};

void CutOffTest::seesWhatIsCut() {
    QLabel label(QStringLiteral("room enough"));
    label.resize(label.sizeHint());
    QVERIFY(!isCut(label));
    label.resize(label.width() / 2, label.height());
    QVERIFY(isCut(label));
    label.setWordWrap(true);
    QVERIFY(isCut(label));
}

void CutOffTest::everyTextHasRoom_data() {
    QTest::addColumn<QLocale>("locale");
    for (const QString& language : QStringLiteral("en|" LANGUAGES).split(QLatin1Char('|')))
        QTest::newRow(qPrintable(language)) << QLocale(language);
}

void CutOffTest::everyTextHasRoom() {
    QFETCH(QLocale, locale);
    QSettings().clear();
    installTranslations(*qApp, locale);
    MainWindow window;
    QSignalSpy forecast(&window.planWatch(), &PlanWatch::forecastChanged);
    window.resize(windowSize);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(!forecast.isEmpty() || forecast.wait());
    QStringList cut;
    for (const QDockWidget* panel : window.docks().findChildren<QDockWidget*>()) {
        window.docks().showPanel(panel->widget());
        QApplication::processEvents();
        cut.append(cutTexts(window));
    }
    QCOMPARE(window.size(), windowSize);
    cut.removeDuplicates();
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1String(" | "))));
}

QTEST_MAIN(CutOffTest)
#include "cut_off_test.moc"
