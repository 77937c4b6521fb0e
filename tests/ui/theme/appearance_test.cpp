// SPDX-License-Identifier: GPL-3.0-or-later
// Light and dark, and icons at the screen's resolution.
#include <QApplication>
#include <QCheckBox>
#include <QPalette>
#include <QPlainTextEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdlib>

#include "tests/support/charts/test_classes.h"
#include "ui/theme/appearance.h"
#include "ui/theme/look.h"

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
    void textFieldsHaveFourSides_data();
    void textFieldsHaveFourSides();

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

void AppearanceTest::textFieldsHaveFourSides_data() {
    QTest::addColumn<int>("offset");
    for (int offset = 0; offset < 4; ++offset)  // at 125 % one in four lies on a pixel's edge
        QTest::addRow("%d", offset) << offset;
}

void AppearanceTest::textFieldsHaveFourSides() {
    QFETCH(const int, offset);
    QWidget window;
    window.setPalette(paletteFor(Appearance::Light));
    window.resize(200, 120);
    QPlainTextEdit field(&window);
    field.setGeometry(20 + offset, 20 + offset, 90 + offset, 50 + offset);
    const QImage image = window.grab().toImage();
    const double scale = image.devicePixelRatio();
    const int outside = qGray(image.pixel(0, 0));
    const auto darkestAt = [&](QPointF side, QPointF inward) {
        int darkest = outside;
        for (int step = -1; step <= 2 * scale; ++step)
            darkest = std::min(darkest, qGray(image.pixel((side * scale + inward * step).toPoint())));
        return darkest;
    };
    const QRectF rect = field.geometry();
    const QPointF middle = rect.center();
    constexpr int visible = 20;  // of 255
    for (const int side :
         {darkestAt({rect.left(), middle.y()}, {1, 0}), darkestAt({rect.right(), middle.y()}, {-1, 0}),
          darkestAt({middle.x(), rect.top()}, {0, 1}), darkestAt({middle.x(), rect.bottom()}, {0, -1})})
        QVERIFY2(outside - side >= visible, qPrintable(QString::number(side)));
}

MESHREEL_TEST_CLASS(AppearanceTest)
#include "appearance_test.moc"
