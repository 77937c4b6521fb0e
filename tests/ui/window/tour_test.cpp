// SPDX-License-Identifier: GPL-3.0-or-later
// The tour over a window: by mouse, by keyboard, skipped, and remembered.
#include <QApplication>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/charts/test_classes.h"
#include "ui/window/main_window.h"
#include "ui/window/tour.h"

using namespace meshreel;

class TourTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void walksByKeyboardAndRemembersIt();
    void arrowKeysWalkWhateverButtonHasTheFocus();
    void escapeSkips();
    void keyboardStaysInTheCallout();
    void targetsThatAreGoneAreLeftUnmarked();
    void calloutStandsBesideItsTarget_data();
    void calloutStandsBesideItsTarget();
    void theStudioHasATour();

  private:
    QTemporaryDir m_folder;
};

void TourTest::initTestCase() {
    qputenv("XDG_DATA_HOME", m_folder.filePath(QStringLiteral("data")).toLocal8Bit());
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder.filePath(QStringLiteral("settings")));
    QCoreApplication::setOrganizationName(QStringLiteral("Meshreel"));
    QCoreApplication::setApplicationName(QStringLiteral("TourTest"));
}

void TourTest::init() {
    QSettings().clear();
}

namespace {

/// A window with two parts and a tour over them.
struct Toured {
    QWidget window;
    QWidget* first = new QWidget(&window);
    QWidget* second = new QWidget(&window);
    Tour* tour = nullptr;

    Toured() {
        window.resize(900, 600);
        first->setGeometry(0, 0, 200, 600);
        second->setGeometry(200, 500, 700, 100);
        window.show();
        window.activateWindow();
        tour = new Tour(&window, {{first, QStringLiteral("One"), QStringLiteral("The first part.")},
                                  {second, QStringLiteral("Two"), QStringLiteral("The second part.")}});
    }
    [[nodiscard]] TourCallout& callout() const { return *tour->findChild<TourCallout*>(); }
};

}  // namespace

void TourTest::walksByKeyboardAndRemembersIt() {
    Toured toured;
    QVERIFY(QTest::qWaitForWindowActive(&toured.window));
    QVERIFY(!Tour::wasSeen());
    QCOMPARE(toured.callout().accessibleName(), QStringLiteral("One"));
    QVERIFY(!toured.callout().geometry().intersects(toured.first->geometry()));
    QSignalSpy ended(toured.tour, &Tour::ended);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);  // Next
    QCOMPARE(toured.tour->stop(), 1);
    QVERIFY(!toured.callout().geometry().intersects(toured.second->geometry()));
    QTest::keyClick(toured.tour, Qt::Key_Left);
    QCOMPARE(toured.tour->stop(), 0);
    QTest::keyClick(toured.tour, Qt::Key_Left);  // nothing before the first
    QCOMPARE(toured.tour->stop(), 0);
    QTest::keyClick(toured.tour, Qt::Key_Right);
    QTest::keyClick(toured.tour, Qt::Key_Right);
    QCOMPARE(ended.size(), 1);
    QVERIFY(Tour::wasSeen());
    QTRY_VERIFY(toured.window.findChild<Tour*>() == nullptr);
}

void TourTest::arrowKeysWalkWhateverButtonHasTheFocus() {
    Toured toured;
    QVERIFY(QTest::qWaitForWindowActive(&toured.window));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
    QCOMPARE(toured.tour->stop(), 1);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);  // to the first button
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Left);
    QCOMPARE(toured.tour->stop(), 0);
}

void TourTest::escapeSkips() {
    Toured toured;
    QSignalSpy ended(toured.tour, &Tour::ended);
    QTest::keyClick(toured.tour, Qt::Key_Escape);
    QCOMPARE(ended.size(), 1);
    QVERIFY(Tour::wasSeen());
}

void TourTest::keyboardStaysInTheCallout() {
    Toured toured;
    QVERIFY(QTest::qWaitForWindowActive(&toured.window));
    for (int i = 0; i < 5; ++i) {
        QTest::keyClick(QApplication::focusWidget(), i % 2 == 0 ? Qt::Key_Tab : Qt::Key_Backtab);
        QVERIFY(toured.callout().isAncestorOf(QApplication::focusWidget()));
    }
}

void TourTest::targetsThatAreGoneAreLeftUnmarked() {
    Toured toured;
    delete toured.second;
    toured.tour->goTo(1);
    QCOMPARE(toured.callout().geometry().center().x(), toured.window.rect().center().x());
    QVERIFY(!toured.window.grab().isNull());
    toured.window.resize(500, 400);
    QTRY_COMPARE(toured.tour->size(), toured.window.size());
}

void TourTest::calloutStandsBesideItsTarget_data() {
    QTest::addColumn<QRect>("target");
    QTest::newRow("left column") << QRect(0, 50, 300, 600);
    QTest::newRow("right column") << QRect(900, 50, 380, 600);
    QTest::newRow("bar at the bottom") << QRect(0, 700, 1280, 100);
    QTest::newRow("bar at the top") << QRect(0, 0, 1280, 30);
}

void TourTest::calloutStandsBesideItsTarget() {
    QFETCH(QRect, target);
    const QRect window(0, 0, 1280, 800);
    const QRect place = calloutPlace(QSize(340, 180), target, window);
    QVERIFY(window.contains(place));
    QVERIFY(!place.intersects(target));
}

void TourTest::theStudioHasATour() {
    MainWindow window;
    window.show();
    window.startTour();
    window.startTour();  // one is enough
    QCOMPARE(window.findChildren<Tour*>().size(), 1);
    auto* tour = window.findChild<Tour*>();
    int stops = 0;
    while (!Tour::wasSeen()) {
        QVERIFY(!window.grab().isNull());
        const QRect callout = tour->findChild<TourCallout*>()->geometry();
        QVERIFY(window.rect().contains(callout));
        tour->goTo(++stops);
    }
    QVERIFY(stops >= 3 && stops <= 5);
}

MESHREEL_TEST_CLASS(TourTest)
#include "tour_test.moc"
