// SPDX-License-Identifier: GPL-3.0-or-later
// Every panel of the Studio in every language, at the window's first size: no text is cut off by its widget.
#include <QApplication>
#include <QLabel>
#include <QLocale>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/panel_texts.h"
#include "tests/support/shown_texts.h"
#include "ui/application.h"
#include "ui/controller/plan_watch.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

using namespace meshreel;
using meshreel::testing::cutTexts;
using meshreel::testing::isCut;

namespace {

constexpr QSize windowSize{1280, 800};

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
    const QStringList cut = meshreel::testing::cutTextsOfPanels(window);
    QCOMPARE(window.size(), windowSize);
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1String(" | "))));
}

QTEST_MAIN(CutOffTest)
#include "cut_off_test.moc"
