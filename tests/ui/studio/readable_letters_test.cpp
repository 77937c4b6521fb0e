// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever colours the Studio's words have, they are read on its grounds, light and dark; and no two panels
// have one name, in every language.
#include <QAbstractButton>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/filled_studio.h"
#include "tests/support/studio/languages.h"
#include "ui/theme/appearance.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

using namespace meshreel;
using meshreel::testing::FilledStudio;

namespace {

double luminance(const QColor& colour) {
    const auto linear = [](double part) {
        return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

double contrast(const QColor& one, const QColor& other) {
    const auto [dark, bright] = std::minmax(luminance(one), luminance(other));
    return (bright + 0.05) / (dark + 0.05);
}

constexpr double readable = 4.5;  ///< WCAG 2.1, AA

/// The ground that a widget without one of its own stands on.
QColor groundOf(const QWidget& widget) {
    for (const QWidget* each = &widget; each != nullptr; each = each->parentWidget())
        if (each->isWindow() || each->autoFillBackground())
            return each->palette().color(each->backgroundRole());
    return widget.palette().color(QPalette::Window);
}

/// Words in a colour that is hard to read.
QStringList pale(const QWidget& window) {
    QStringList found;
    const auto check = [&found](const QWidget& widget, const QColor& ink, const QColor& ground) {
        if (contrast(ink, ground) < readable)
            found += QStringLiteral("%1: %2 on %3")
                         .arg(meshreel::testing::described(widget), ink.name(), ground.name());
    };
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->isVisible() && !label->text().isEmpty())
            check(*label, label->palette().color(label->foregroundRole()), groundOf(*label));
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
        if (button->isVisible() && !button->text().isEmpty())
            check(*button, button->palette().color(QPalette::ButtonText),
                  button->palette().color(QPalette::Button));
    for (const QLineEdit* line : window.findChildren<QLineEdit*>())
        if (line->isVisible()) {
            check(*line, line->palette().color(QPalette::Text), line->palette().color(QPalette::Base));
            check(*line, line->palette().color(QPalette::PlaceholderText),
                  line->palette().color(QPalette::Base));
        }
    found.removeDuplicates();
    return found;
}

}  // namespace

class ReadableLettersTest : public QObject {
    Q_OBJECT

  private slots:
    void wordsAreReadOnTheirGrounds_data();
    void wordsAreReadOnTheirGrounds();
    void noTwoPanelsHaveOneName_data();
    void noTwoPanelsHaveOneName();
    void cleanupTestCase();
};

void ReadableLettersTest::cleanupTestCase() {
    chooseAppearance(Appearance::System);
    meshreel::testing::speak(QStringLiteral("en"));
}

void ReadableLettersTest::wordsAreReadOnTheirGrounds_data() {
    QTest::addColumn<Appearance>("appearance");
    QTest::newRow("light") << Appearance::Light;
    QTest::newRow("dark") << Appearance::Dark;
}

void ReadableLettersTest::wordsAreReadOnTheirGrounds() {
    QFETCH(Appearance, appearance);
    FilledStudio studio;
    chooseAppearance(appearance);
    QStringList found;
    for (const QString& page : FilledStudio::pages()) {
        studio.showPage(page);
        found += pale(studio.window());
    }
    studio.breakProject();
    QApplication::processEvents();
    found += pale(studio.window());
    found.removeDuplicates();
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
}

void ReadableLettersTest::noTwoPanelsHaveOneName_data() {
    QTest::addColumn<QString>("language");
    for (const QString& language : meshreel::testing::languages())
        QTest::newRow(qPrintable(language)) << language;
}

void ReadableLettersTest::noTwoPanelsHaveOneName() {
    QFETCH(QString, language);
    meshreel::testing::speak(language);
    MainWindow window;
    QStringList titles;
    for (const QDockWidget* dock : window.docks().docks())
        titles += dock->windowTitle();
    QVERIFY(titles.size() > 15);
    QCOMPARE(titles.removeDuplicates(), 0);
}

MESHREEL_TEST_CLASS(ReadableLettersTest)
#include "readable_letters_test.moc"
