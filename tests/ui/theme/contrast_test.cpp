// SPDX-License-Identifier: GPL-3.0-or-later
// Letters can be read on every ground that they stand on, hints and what is switched off too.
#include <QApplication>
#include <QPalette>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/support/charts/test_classes.h"
#include "ui/theme/appearance.h"
#include "ui/theme/look.h"

using namespace meshreel;

namespace {

/// WCAG 2.1: relative luminance of sRGB.
double luminanceOf(const QColor& colour) {
    const auto linear = [](double part) {
        return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

double contrastOf(const QColor& one, const QColor& other) {
    const auto [dark, bright] = std::minmax(luminanceOf(one), luminanceOf(other));
    return (bright + 0.05) / (dark + 0.05);
}

constexpr double leastContrast = 4.5;  ///< WCAG 2.1, AA, of letters of any size

}  // namespace

class ContrastTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void lettersAreReadOnTheirGrounds_data();
    void lettersAreReadOnTheirGrounds();

  private:
    QTemporaryDir m_folder;
};

void ContrastTest::initTestCase() {
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    QCoreApplication::setOrganizationName(QStringLiteral("Meshreel"));
    QCoreApplication::setApplicationName(QStringLiteral("ContrastTest"));
}

void ContrastTest::lettersAreReadOnTheirGrounds_data() {
    QTest::addColumn<Appearance>("appearance");
    QTest::newRow("light") << Appearance::Light;
    QTest::newRow("dark") << Appearance::Dark;
}

void ContrastTest::lettersAreReadOnTheirGrounds() {
    QFETCH(Appearance, appearance);
    chooseAppearance(appearance);
    const QPalette palette = QApplication::palette();
    const auto check = [](const char* what, const QColor& ink, const QColor& ground) {
        const double contrast = contrastOf(ink, ground);
        QVERIFY2(contrast >= leastContrast,
                 qPrintable(QStringLiteral("%1: %2 on %3 has %4")
                                .arg(QLatin1String(what), ink.name(), ground.name())
                                .arg(contrast)));
    };
    const QList<QPalette::ColorRole> grounds{QPalette::Window, QPalette::Base, QPalette::AlternateBase,
                                             QPalette::Button, QPalette::ToolTipBase};
    const QList<std::pair<const char*, QPalette::ColorRole>> inks{
        {"words", QPalette::WindowText},        {"text", QPalette::Text},
        {"button", QPalette::ButtonText},       {"hint", QPalette::PlaceholderText},
        {"tool tip", QPalette::ToolTipText},    {"link", QPalette::Link},
        {"visited link", QPalette::LinkVisited}};
    for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        for (const QPalette::ColorRole ground : grounds)
            for (const auto& [what, ink] : inks)
                check(what, palette.color(group, ink), palette.color(group, ground));
        check("selected", palette.color(group, QPalette::HighlightedText),
              palette.color(group, QPalette::Highlight));
    }
    for (const QPalette::ColorRole role : grounds) {
        const QColor ground = palette.color(role);
        check("muted", mutedColor(palette), ground);
        check("error", errorColor(palette), ground);
        check("warning", warningColor(palette), ground);
    }
}

MESHREEL_TEST_CLASS(ContrastTest)
#include "contrast_test.moc"
