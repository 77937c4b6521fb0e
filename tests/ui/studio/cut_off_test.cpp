// SPDX-License-Identifier: GPL-3.0-or-later
// No text of the Studio is cut off, in every language, at the window's first size: every panel, empty,
// filled, with a project that cannot run and during a run; every dialog; the tour. What counts as cut off is
// told in tests/support/studio/shown_texts.h. Menus are as wide as their entries, and are left out.
#include <QApplication>
#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>
#include <QTranslator>
#include <QTreeView>
#include <algorithm>
#include <array>
#include <memory>

#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/filled_studio.h"
#include "tests/support/studio/languages.h"
#include "tests/support/studio/painted_texts.h"
#include "tests/support/studio/panel_texts.h"
#include "tests/support/studio/shown_texts.h"
#include "tests/support/studio/studio_dialogs.h"
#include "ui/project/plan_watch.h"
#include "ui/theme/appearance.h"
#include "ui/window/application.h"
#include "ui/window/main_window.h"
#include "ui/window/tour.h"

using namespace meshreel;
using namespace meshreel::testing;
using meshreel::testing::cutTexts;
using meshreel::testing::FilledStudio;
using meshreel::testing::isCut;
using meshreel::testing::StudioDialog;
using meshreel::testing::studioDialogs;

namespace {

constexpr QSize windowSize{1280, 800};
constexpr int settleMilliseconds = 200;  ///< in which texts that came from other threads get their room

/// What the filled window may be in, in the order in which one follows the other.
struct StudioState {
    QLatin1String name;
    void (*enter)(FilledStudio& studio);
};

constexpr std::array states{
    StudioState{QLatin1String("at rest"), [](FilledStudio&) {}},
    StudioState{QLatin1String("large"), [](FilledStudio& studio) { studio.enlargeProject(); }},
    StudioState{QLatin1String("during a run"), [](FilledStudio& studio) { studio.showRunGoingOn(); }},
    StudioState{QLatin1String("after stopping"), [](FilledStudio& studio) { studio.showRunStopped(); }},
    StudioState{QLatin1String("unable to run"), [](FilledStudio& studio) { studio.breakProject(); }}};

const StudioState& stateNamed(const QString& name) {
    return *std::ranges::find(states, name, &StudioState::name);
}

constexpr QLatin1String tourPage("tour");
constexpr QLatin1String dialogPrefix("dialog ");

/// Over the window, whatever state it is in.
QStringList pagesOnce() {
    QStringList pages{tourPage};
    for (const StudioDialog& dialog : studioDialogs())
        pages += dialogPrefix + QLatin1String(dialog.name);
    return pages;
}

QStringList cutTextsOfTour(MainWindow& window) {
    window.startTour();
    auto* tour = window.findChild<Tour*>();
    QStringList cut;
    for (int stop = 0; !Tour::wasSeen(); tour->goTo(++stop)) {
        QApplication::processEvents();
        cut += cutTexts(*tour);
        if (!tour->rect().contains(tour->findChild<TourCallout*>()->geometry()))
            cut += QStringLiteral("The callout of stop %1 is beyond the window").arg(stop);
    }
    return cut;
}

QStringList cutTextsOfDialog(FilledStudio& studio, const QString& name) {
    const auto dialog = std::ranges::find(studioDialogs(), name,
                                          [](const StudioDialog& one) { return QLatin1String(one.name); });
    QStringList cut;
    withDialog(*dialog, studio, [&](QDialog& shown) { cut = cutTexts(shown); });
    return cut;
}

QStringList cutTextsOf(FilledStudio& studio, const QString& page) {
    if (page == tourPage)
        return cutTextsOfTour(studio.window());
    if (page.startsWith(dialogPrefix))
        return cutTextsOfDialog(studio, page.mid(dialogPrefix.size()));
    studio.showPage(page);
    if (QTest::qWaitFor([&studio] { return cutTexts(studio.window()).isEmpty(); }, settleMilliseconds))
        return {};
    return cutTexts(studio.window());
}

void verifyNothingIn(const QStringList& cut) {
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1String("\n"))));
}

}  // namespace

class CutOffTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void seesWhatIsCut();
    void seesWhatIsBeyondItsParent();
    void seesCellsThatDoNotTellTheRest();
    void seesWhatIsPaintedShort();
    void emptyPanelsHaveRoom_data();
    void emptyPanelsHaveRoom();
    void filledPagesHaveRoom_data();
    void filledPagesHaveRoom();
    void cleanupTestCase();

  private:
    FilledStudio& studioIn(const QString& language, const StudioState& state);

    std::unique_ptr<FilledStudio> m_studio;  ///< in m_language and m_state, kept from row to row
    QString m_language;
    const StudioState* m_state = nullptr;
};

FilledStudio& CutOffTest::studioIn(const QString& language, const StudioState& state) {
    if (m_studio == nullptr || m_language != language || &state < m_state) {
        m_studio.reset();
        speak(language);
        m_studio = std::make_unique<FilledStudio>();
        m_language = language;
        m_state = states.data();
    }
    if (m_state != &state)
        state.enter(*m_studio);
    m_state = &state;
    return *m_studio;
}

void CutOffTest::initTestCase() {
    chooseAppearance(Appearance::Light);  // with the Studio's own style
}

void CutOffTest::cleanupTestCase() {
    m_studio.reset();
}

void CutOffTest::seesWhatIsCut() {
    QLabel label(QStringLiteral("room enough"));
    label.resize(label.sizeHint());
    QVERIFY(!isCut(label));
    label.resize(label.width() / 2, label.height());
    QVERIFY(isCut(label));
    label.setWordWrap(true);
    QVERIFY(isCut(label));
}

void CutOffTest::seesWhatIsBeyondItsParent() {
    QWidget window;
    QLabel label(QStringLiteral("room enough"), &window);
    label.resize(label.sizeHint());
    window.resize(2 * label.size());
    window.show();
    verifyNothingIn(cutTexts(window));
    label.move(window.width() - label.width() / 2, 0);
    QCOMPARE(cutTexts(window).size(), 1);
}

void CutOffTest::seesCellsThatDoNotTellTheRest() {
    QStandardItemModel model(1, 1);
    auto* item = new QStandardItem(QStringLiteral("a name that is longer than its column"));
    model.setItem(0, item);
    QWidget window;
    QTreeView view(&window);
    view.setModel(&model);
    view.header()->setStretchLastSection(false);
    view.resize(windowSize);
    window.resize(windowSize);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    view.setColumnWidth(0, windowSize.width() / 2);
    verifyNothingIn(cutTexts(window));
    view.setColumnWidth(0, 60);
    QCOMPARE(cutTexts(window).size(), 1);
    item->setToolTip(item->text());
    verifyNothingIn(cutTexts(window));
}

void CutOffTest::seesWhatIsPaintedShort() {
    class Sign : public QWidget {
      public:
        using QWidget::QWidget;
        QString words = QStringLiteral("room enough");

      protected:
        void paintEvent(QPaintEvent* /*event*/) override {
            QPainter(this).drawText(rect(), Qt::AlignLeft, words);
        }
    };
    Sign sign;
    sign.resize(windowSize);
    const auto painted = [&] { return meshreel::testing::paintedTexts(sign).at(0); };
    QCOMPARE(painted().text, sign.words);
    QVERIFY(!painted().isClipped && !painted().isShortened());
    sign.words = sign.fontMetrics().elidedText(sign.words, Qt::ElideMiddle, 60);
    QVERIFY(painted().isShortened());
    QCOMPARE(painted().parts().size(), 2);
    sign.resize(20, 20);
    QVERIFY(painted().isClipped);
}

void CutOffTest::emptyPanelsHaveRoom_data() {
    QTest::addColumn<QString>("language");
    for (const QString& language : languages())
        QTest::newRow(qPrintable(language)) << language;
}

void CutOffTest::emptyPanelsHaveRoom() {
    QFETCH(QString, language);
    speak(language);
    QSettings().clear();
    MainWindow window;
    QSignalSpy forecast(&window.planWatch(), &PlanWatch::forecastChanged);
    window.resize(windowSize);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(!forecast.isEmpty() || forecast.wait());
    verifyNothingIn(meshreel::testing::cutTextsOfPanels(window));
    QCOMPARE(window.size(), windowSize);
}

void CutOffTest::filledPagesHaveRoom_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("state");
    QTest::addColumn<QString>("page");
    const QStringList pages = FilledStudio::pages();
    for (const QString& language : languages())
        for (const StudioState& state : states)
            for (const QString& page : state.name == states[0].name ? pages + pagesOnce() : pages)
                QTest::addRow("%s, %s: %s", qPrintable(language), state.name.data(), qPrintable(page))
                    << language << QString(state.name) << page;
}

void CutOffTest::filledPagesHaveRoom() {
    QFETCH(QString, language);
    QFETCH(QString, state);
    QFETCH(QString, page);
    FilledStudio& studio = studioIn(language, stateNamed(state));
    verifyNothingIn(cutTextsOf(studio, page));
    QCOMPARE(studio.window().size(), windowSize);
}

MESHREEL_TEST_CLASS(CutOffTest)
#include "cut_off_test.moc"
