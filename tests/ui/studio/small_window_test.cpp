// SPDX-License-Identifier: GPL-3.0-or-later
// The Studio on small screens: in every language the window gets as small as a screen of 1024x600 has room
// for and everything in it can be reached then; windows lie on their screen, frame and all.
#include <QAbstractScrollArea>
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QLocale>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTest>
#include <QTranslator>
#include <QTreeView>
#include <QVBoxLayout>
#include <memory>

#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/filled_studio.h"
#include "tests/support/studio/languages.h"
#include "tests/support/studio/studio_dialogs.h"
#include "ui/running/run_bar.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/screen_fit.h"
#include "ui/window/application.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

using namespace meshreel;
using namespace meshreel::testing;
using meshreel::testing::FilledStudio;

namespace {

constexpr QSize smallestScreen{1024, 600};
constexpr QMargins largeFrame{8, 32, 8, 8};  ///< of a desktop that draws much of one
constexpr QSize roomThere{1008, 560};

/// It lies in each of its parents, or where one of them scrolls to it.
bool canBeReached(const QWidget& widget, const QWidget& window) {
    QRect place = widget.rect();
    const QWidget* inner = &widget;
    while (inner != &window) {
        const QWidget* parent = inner->parentWidget();
        place.translate(inner->pos());
        const auto* area = qobject_cast<const QAbstractScrollArea*>(parent->parentWidget());
        const bool isViewport = area != nullptr && area->viewport() == parent;
        if (isViewport && qobject_cast<const QScrollArea*>(area) == nullptr) {
            place = parent->rect();  // of rows and texts, which scroll by other units
        } else if (isViewport) {
            const QPoint more(area->horizontalScrollBar()->maximum(), area->verticalScrollBar()->maximum());
            const QPoint before(area->horizontalScrollBar()->value(), area->verticalScrollBar()->value());
            const QRect all = QRect(-before, parent->size() + QSize(more.x(), more.y()));
            if (!all.contains(place) && !place.contains(all))
                return false;
            place = parent->rect();
        } else if (!parent->rect().contains(place)) {
            return false;
        }
        inner = parent;
    }
    return true;
}

QStringList unreachableIn(QWidget& window) {
    QStringList beyond;
    for (const QWidget* control : meshreel::testing::controlsIn(window))
        if (control->isVisible() && control->window() == &window && !canBeReached(*control, window))
            beyond += meshreel::testing::described(*control);
    return beyond;
}

void verifyNone(const QStringList& beyond) {
    QVERIFY2(beyond.isEmpty(), qPrintable(beyond.join(QLatin1Char('\n'))));
}

}  // namespace

class SmallWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void cleanupTestCase();
    void seesWhatIsBeyond();
    void theWindowFitsASmallScreen_data();
    void theWindowFitsASmallScreen();
    void everythingCanBeReached_data();
    void everythingCanBeReached();
    void dialogsFitASmallScreen_data();
    void dialogsFitASmallScreen();
    void placesAreFitted_data();
    void placesAreFitted();
    void theFirstWindowLiesOnItsScreen();
    void aRestoredWindowLiesOnItsScreen();
    void panelsShrinkBeforeTheyScroll();
    void panelsThatAreTooLargeAreScrolled();
    void theKeyboardScrollsToWhereItGoes();

  private:
    FilledStudio& studioIn(const QString& language);

    std::unique_ptr<FilledStudio> m_studio;
    QString m_language;
};

FilledStudio& SmallWindowTest::studioIn(const QString& language) {
    if (m_studio == nullptr || m_language != language) {
        m_studio.reset();
        speak(language);
        m_studio = std::make_unique<FilledStudio>();
        m_language = language;
    }
    return *m_studio;
}

void SmallWindowTest::initTestCase() {
    chooseAppearance(Appearance::Light);  // with the Studio's own style
}

void SmallWindowTest::cleanupTestCase() {
    m_studio.reset();
}

void SmallWindowTest::seesWhatIsBeyond() {
    QWidget window;
    window.resize(200, 100);
    QPushButton button(QStringLiteral("Run"), &window);
    button.setGeometry(10, 10, 100, 30);
    window.show();
    verifyNone(unreachableIn(window));
    button.move(10, 80);
    QCOMPARE(unreachableIn(window).size(), 1);
}

void SmallWindowTest::theWindowFitsASmallScreen_data() {
    QTest::addColumn<QString>("language");
    for (const QString& language : languages())
        QTest::newRow(qPrintable(language)) << language;
}

void SmallWindowTest::theWindowFitsASmallScreen() {
    QFETCH(QString, language);
    const MainWindow& window = studioIn(language).window();
    const QSize least = window.minimumSizeHint();
    QVERIFY2(least.width() <= roomThere.width() && least.height() <= roomThere.height(),
             qPrintable(QStringLiteral("%1 x %2").arg(least.width()).arg(least.height())));
}

void SmallWindowTest::everythingCanBeReached_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("page");
    const QStringList pages = FilledStudio::pages();
    for (const QString& language : languages())
        for (const QString& page : pages)
            QTest::addRow("%s: %s", qPrintable(language), qPrintable(page)) << language << page;
}

void SmallWindowTest::everythingCanBeReached() {
    QFETCH(QString, language);
    QFETCH(QString, page);
    FilledStudio& studio = studioIn(language);
    MainWindow& window = studio.window();
    window.resize(roomThere);
    studio.showPage(page);
    QTRY_COMPARE(window.size(), roomThere);
    if (!QTest::qWaitFor([&window] { return unreachableIn(window).isEmpty(); }))
        verifyNone(unreachableIn(window));
    // Not by scrolling: whatever else is done, these are at hand.
    for (const char* name : {"run", "pause", "resume", "cancel"}) {
        const auto* button = window.findChild<QPushButton*>(QLatin1String(name));
        if (button->isVisible())
            QVERIFY(window.rect().contains(QRect(button->mapTo(&window, QPoint()), button->size())));
    }
}

void SmallWindowTest::dialogsFitASmallScreen_data() {
    theWindowFitsASmallScreen_data();
}

void SmallWindowTest::dialogsFitASmallScreen() {
    QFETCH(QString, language);
    FilledStudio& studio = studioIn(language);
    for (const meshreel::testing::StudioDialog& dialog : meshreel::testing::studioDialogs())
        withDialog(dialog, studio, [&](QDialog& shown) {
            const QSize least = shown.minimumSizeHint();
            QVERIFY2(least.width() <= roomThere.width() && least.height() <= roomThere.height(), dialog.name);
            shown.resize(roomThere.boundedTo(shown.size()));
            verifyNone(unreachableIn(shown));
        });
}

void SmallWindowTest::placesAreFitted_data() {
    QTest::addColumn<QRect>("wanted");
    QTest::addColumn<QRect>("fitted");
    QTest::newRow("has room") << QRect(100, 100, 500, 300) << QRect(100, 100, 500, 300);
    QTest::newRow("too large") << QRect(0, 0, 1280, 800) << QRect(8, 32, 1008, 560);
    QTest::newRow("beyond the right") << QRect(900, 100, 500, 300) << QRect(516, 100, 500, 300);
    QTest::newRow("beyond the top left") << QRect(-50, -50, 500, 300) << QRect(8, 32, 500, 300);
    QTest::newRow("on a screen that is gone") << QRect(3000, 2000, 900, 500) << QRect(116, 92, 900, 500);
    QTest::newRow("too high alone") << QRect(20, 40, 500, 700) << QRect(20, 32, 500, 560);
}

void SmallWindowTest::placesAreFitted() {
    QFETCH(QRect, wanted);
    QTEST(fittedPlace(wanted, largeFrame, QRect(QPoint(), smallestScreen)), "fitted");
}

void SmallWindowTest::theFirstWindowLiesOnItsScreen() {
    QSettings().clear();
    const MainWindow window;
    const QRect available = window.screen()->availableGeometry();
    QVERIFY2(window.height() + largeFrame.top() + largeFrame.bottom() <= available.height(),
             qPrintable(QString::number(window.height())));
    QVERIFY(window.width() + largeFrame.left() + largeFrame.right() <= available.width());
}

void SmallWindowTest::aRestoredWindowLiesOnItsScreen() {
    QSettings().clear();
    {
        MainWindow large;
        large.setGeometry(5000, 4000, 1900, 1200);
        large.show();
        large.close();
    }
    const MainWindow window;
    const QRect available = window.screen()->availableGeometry();
    QVERIFY(available.contains(window.geometry().marginsAdded(largeFrame)));
    QSettings().clear();
}

void SmallWindowTest::panelsShrinkBeforeTheyScroll() {
    auto* panel = new QWidget;
    auto* column = new QVBoxLayout(panel);
    auto* list = new QTreeView(panel);
    column->addWidget(list);
    column->addWidget(new QPushButton(QStringLiteral("Add"), panel));
    PanelScroller scroller(panel);
    scroller.resize(300, panel->sizeHint().height() - 40);
    scroller.show();
    QCOMPARE(panel->size(), scroller.size());
    QCOMPARE(scroller.verticalScrollBar()->maximum(), 0);
}

void SmallWindowTest::panelsThatAreTooLargeAreScrolled() {
    auto* panel = new QWidget;
    auto* column = new QVBoxLayout(panel);
    for (int i = 0; i < 10; ++i)
        column->addWidget(new QPushButton(QStringLiteral("A button of some width"), panel));
    PanelScroller scroller(panel);
    scroller.resize(80, 100);
    scroller.show();
    QVERIFY(QTest::qWaitForWindowExposed(&scroller));
    QCOMPARE(panel->height(), panel->minimumSizeHint().height());
    QVERIFY(scroller.verticalScrollBar()->isVisible() && scroller.horizontalScrollBar()->isVisible());
    QVERIFY(scroller.minimumSizeHint().height() < panel->minimumSizeHint().height());
    scroller.resize(panel->sizeHint() + QSize(40, 40));
    QCOMPARE(panel->size(), scroller.size());
    scroller.resize(300, 100);
    const int before = panel->height();
    for (int i = 0; i < 3; ++i)
        column->addWidget(new QPushButton(QStringLiteral("Another one"), panel));
    QTRY_VERIFY(panel->height() > before);
    QCOMPARE(panel->height(), panel->minimumSizeHint().height());
}

void SmallWindowTest::theKeyboardScrollsToWhereItGoes() {
    FilledStudio& studio = studioIn(QStringLiteral("en"));
    MainWindow& window = studio.window();
    window.resize(window.minimumSizeHint());
    studio.showPage(QStringLiteral("attention"));
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto* scroller = qobject_cast<QScrollArea*>(
        window.docks().findChild<QDockWidget*>(QStringLiteral("attention"))->widget());
    QTRY_VERIFY(scroller->isVisible());
    int beyond = 0;
    for (QWidget* control : meshreel::testing::controlsIn(*scroller)) {
        if ((control->focusPolicy() & Qt::TabFocus) == 0 || !control->visibleRegion().isEmpty())
            continue;
        ++beyond;
        control->setFocus(Qt::TabFocusReason);
        QVERIFY2(!control->visibleRegion().isEmpty(), qPrintable(meshreel::testing::described(*control)));
    }
    QVERIFY2(beyond > 0, "nothing had to be scrolled to");
}

MESHREEL_TEST_CLASS(SmallWindowTest)
#include "small_window_test.moc"
