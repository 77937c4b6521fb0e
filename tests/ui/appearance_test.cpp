// SPDX-License-Identifier: GPL-3.0-or-later
// Light and dark, and icons at the screen's resolution.
#include <QApplication>
#include <QCheckBox>
#include <QPalette>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdlib>

#include "ui/theme/appearance.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/theme/studio_style.h"

using namespace meshreel;

namespace {

QPalette paletteFor(Appearance appearance) {
    chooseAppearance(appearance);
    return QApplication::palette();
}

}  // namespace

class AppearanceTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void systemIsAsBrightAsTheDesktop();
    void systemHasTheStudiosTones();
    void choicesAreKept();
    void iconsHaveThePixelsOfTheScreen();
    void checkBoxesAreSeen_data();
    void checkBoxesAreSeen();

  private:
    QTemporaryDir m_folder;
};

void AppearanceTest::initTestCase() {
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    QCoreApplication::setOrganizationName(QStringLiteral("Meshreel"));
    QCoreApplication::setApplicationName(QStringLiteral("AppearanceTest"));
}

void AppearanceTest::systemIsAsBrightAsTheDesktop() {
    const QPalette light(Qt::white);
    const QPalette dark(Qt::black);
    QCOMPARE(shownAppearance(Appearance::System, light), Appearance::Light);
    QCOMPARE(shownAppearance(Appearance::System, dark), Appearance::Dark);
    QCOMPARE(shownAppearance(Appearance::Light, dark), Appearance::Light);
    QCOMPARE(shownAppearance(Appearance::Dark, light), Appearance::Dark);
}

void AppearanceTest::systemHasTheStudiosTones() {
    QApplication::setPalette(QPalette());
    const Appearance desktop = shownAppearance(Appearance::System, QApplication::palette());
    applyAppearance();  // of a new user
    QCOMPARE(chosenAppearance(), Appearance::System);
    QVERIFY(qobject_cast<StudioStyle*>(QApplication::style()) != nullptr);
    const QPalette system = QApplication::palette();
    QCOMPARE(system, paletteFor(desktop));
    // The desktop is asked again, not the choice before.
    paletteFor(desktop == Appearance::Light ? Appearance::Dark : Appearance::Light);
    QCOMPARE(paletteFor(Appearance::System), system);
}

void AppearanceTest::choicesAreKept() {
    QVERIFY(isDark(paletteFor(Appearance::Dark)));
    QCOMPARE(chosenAppearance(), Appearance::Dark);
    QVERIFY(!isDark(paletteFor(Appearance::Light)));
    QCOMPARE(chosenAppearance(), Appearance::Light);
    chooseAppearance(Appearance::System);
    QCOMPARE(chosenAppearance(), Appearance::System);
}

void AppearanceTest::iconsHaveThePixelsOfTheScreen() {
    constexpr QSize size(18, 18);
    const qreal ratio = qApp->devicePixelRatio();
    for (const QPixmap& icon : {tintedPixmap(QStringLiteral("error"), size, Qt::red),
                                themedIcon(QStringLiteral("warning")).pixmap(size)}) {
        QCOMPARE(icon.deviceIndependentSize().toSize(), size);
        QCOMPARE(icon.size(), size * ratio);
    }
}

void AppearanceTest::checkBoxesAreSeen_data() {
    QTest::addColumn<Appearance>("appearance");
    QTest::newRow("light") << Appearance::Light;
    QTest::newRow("dark") << Appearance::Dark;
}

void AppearanceTest::checkBoxesAreSeen() {
    QFETCH(Appearance, appearance);
    QCheckBox box;
    box.setStyle(QApplication::style());
    box.setPalette(paletteFor(appearance));
    const QImage image = box.grab().toImage();
    const int window = qGray(image.pixel(0, 0));
    int contrast = 0;
    for (int x = 0; x < image.width(); ++x)
        contrast = std::max(contrast, std::abs(qGray(image.pixel(x, image.height() / 2)) - window));
    constexpr int visible = 30;  // of 255
    QVERIFY2(contrast >= visible, qPrintable(QString::number(contrast)));
}

QTEST_MAIN(AppearanceTest)
#include "appearance_test.moc"
