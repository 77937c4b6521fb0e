// SPDX-License-Identifier: GPL-3.0-or-later
// The Studio in a language that is read from right to left: what is read is mirrored; pictures and time axes
// are not.
#include <QApplication>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QStandardItemModel>
#include <QStyleOptionSlider>
#include <QTest>
#include <algorithm>

#include "engine/planning/run_plan.h"
#include "engine/runs/run_folder.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/panel_texts.h"
#include "ui/attention/tile_view.h"
#include "ui/noise/noise_view.h"
#include "ui/player/playback.h"
#include "ui/project/plan_watch.h"
#include "ui/running/devices_panel.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/run_history_model.h"
#include "ui/settings/consequences_bar.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/studies/tune_panel.h"
#include "ui/theme/appearance.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

using namespace meshreel;

namespace {

constexpr QSize mirroredWindowSize{1280, 800};

int leftIn(const QWidget& window, const QWidget& widget) {
    return widget.mapTo(&window, QPoint()).x();
}

/// The widget as it is painted in a reading direction.
QImage painted(QWidget& widget, Qt::LayoutDirection direction) {
    widget.setLayoutDirection(direction);
    widget.resize(600, 320);
    return widget.grab().toImage();
}

/// What a delegate paints into a cell that has room around it; true when it kept to the cell.
bool paintsCell(const QAbstractItemDelegate& delegate, const QModelIndex& index,
                Qt::LayoutDirection direction, const QRect& cell, QImage& image) {
    const QColor around = Qt::magenta;
    image = QImage(cell.width() + 2 * cell.left(), cell.height() + 2 * cell.top(), QImage::Format_RGB32);
    image.fill(around);
    QPainter painter(&image);
    painter.fillRect(cell, Qt::white);
    QStyleOptionViewItem option;
    option.rect = cell;
    option.direction = direction;
    delegate.paint(&painter, option, index);
    painter.end();
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (!cell.contains(x, y) && image.pixelColor(x, y) != around)
                return false;
    return true;
}

}  // namespace

class RightToLeftTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void everyPanelHasItsTexts();
    void labelsStandAtTheBeginning();
    void listsOfRunsAreMirrored();
    void lanesKeepToTheirCell();
    void stagesAreInTheOrderOfReading();
    void labelsOfWideButtonsKeepTogether();
    void progressIsLegible();
    void timeRunsToTheRight();
    void picturesStayAsTheyAre();
};

void RightToLeftTest::initTestCase() {
    QApplication::setLayoutDirection(Qt::RightToLeft);
}

void RightToLeftTest::everyPanelHasItsTexts() {
    QSettings().clear();
    MainWindow window;
    QSignalSpy forecast(&window.planWatch(), &PlanWatch::forecastChanged);
    window.resize(mirroredWindowSize);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(!forecast.isEmpty() || forecast.wait());
    const QStringList cut = meshreel::testing::cutTextsOfPanels(window);
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1String(" | "))));
    QVERIFY(leftIn(window, window.panels().editor()) > mirroredWindowSize.width() / 2);
}

void RightToLeftTest::labelsStandAtTheBeginning() {
    MainWindow window;
    window.resize(mirroredWindowSize);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    KeyRow* row = window.panels().editor().row(QStringLiteral("seed"));
    QVERIFY(row != nullptr);
    const QWidget& field = row->field();
    const auto labels = field.parentWidget()->findChildren<QLabel*>();
    const auto title =
        std::ranges::find_if(labels, [&](const QLabel* label) { return label->buddy() == &field; });
    QVERIFY(title != labels.end());
    QVERIFY(leftIn(window, **title) >= leftIn(window, field) + field.width());

    window.docks().showPanel(&window.panels().tune());
    QApplication::processEvents();
    int pairs = 0;
    for (const auto* form : window.panels().tune().findChildren<QFormLayout*>())
        for (int line = 0; line < form->rowCount(); ++line) {
            const QWidget* label = form->itemAt(line, QFormLayout::LabelRole)->widget();
            const QWidget* entry = form->itemAt(line, QFormLayout::FieldRole)->widget();
            if (!label->isVisible())
                continue;
            QVERIFY(label->x() >= entry->x() + entry->width());
            ++pairs;
        }
    QVERIFY(pairs > 2);
}

void RightToLeftTest::listsOfRunsAreMirrored() {
    QPixmap picture(56, 56);
    picture.fill(Qt::red);
    QStandardItemModel model(1, 1);
    const QModelIndex index = model.index(0, 0);
    model.setData(index, picture, Qt::DecorationRole);
    model.setData(index, QStringLiteral("a red ball"));
    model.setData(index, static_cast<int>(RunStatus::Done), RunHistoryModel::StatusRole);
    const RunDelegate delegate;
    const QRect cell(QPoint(20, 20), QSize(300, delegate.sizeHint({}, index).height()));
    for (const Qt::LayoutDirection direction : {Qt::LeftToRight, Qt::RightToLeft}) {
        QImage image;
        QVERIFY(paintsCell(delegate, index, direction, cell, image));
        const bool leftIsRed = image.pixelColor(cell.left() + 30, cell.center().y()) == QColor(Qt::red);
        const bool rightIsRed = image.pixelColor(cell.right() - 30, cell.center().y()) == QColor(Qt::red);
        QCOMPARE(leftIsRed, direction == Qt::LeftToRight);
        QCOMPARE(rightIsRed, direction == Qt::RightToLeft);
    }
}

void RightToLeftTest::lanesKeepToTheirCell() {
    DeviceLaneModel model;
    constexpr int steps = 700;  // more than there are pixels
    for (int step = 0; step < steps; ++step)
        model.add({{.step = step,
                    .devices = {{.computing = 0.7, .exchanging = 0.1, .waiting = 0.2}, {.computing = 0.9}}}});
    const LaneDelegate delegate(model, nullptr);
    QImage left;
    QImage right;
    const QRect cell(10, 10, 500, 24);
    QVERIFY(paintsCell(delegate, model.index(0, DeviceLaneModel::Lane), Qt::LeftToRight, cell, left));
    QVERIFY(paintsCell(delegate, model.index(0, DeviceLaneModel::Lane), Qt::RightToLeft, cell, right));
    QCOMPARE(right, left);
}

void RightToLeftTest::stagesAreInTheOrderOfReading() {
    StageMeter meter;
    meter.setNeeds({{.stage = {}, .share = 1, .bytes = {}}, {.stage = {}, .share = 0, .bytes = {}}});
    const QColor full = meter.palette().color(QPalette::Highlight);
    for (const Qt::LayoutDirection direction : {Qt::LeftToRight, Qt::RightToLeft}) {
        meter.setLayoutDirection(direction);
        meter.resize(meter.sizeHint());
        const QImage image = meter.grab().toImage();
        const bool leftIsFull = image.pixelColor(image.width() / 4, image.height() / 2) == full;
        const bool rightIsFull = image.pixelColor(image.width() * 3 / 4, image.height() / 2) == full;
        QCOMPARE(leftIsFull, direction == Qt::LeftToRight);
        QCOMPARE(rightIsFull, direction == Qt::RightToLeft);
    }
}

void RightToLeftTest::labelsOfWideButtonsKeepTogether() {
    QPixmap icon(16, 16);
    icon.fill(Qt::red);
    QPushButton button(icon, QStringLiteral("Run"));
    StudioStyle style;
    button.setStyle(&style);
    QPalette palette = button.palette();
    palette.setColor(QPalette::ButtonText, Qt::blue);
    button.setPalette(palette);
    button.resize(400, 30);
    for (const Qt::LayoutDirection direction : {Qt::LeftToRight, Qt::RightToLeft}) {
        QApplication::setLayoutDirection(direction);
        const QImage image = button.grab().toImage();
        int first = image.width();
        int last = 0;
        for (int x = 0; x < image.width(); ++x)
            for (int y = 0; y < image.height(); ++y)
                if (const QColor pixel = image.pixelColor(x, y); std::abs(pixel.red() - pixel.blue()) > 100) {
                    first = std::min(first, x);
                    last = std::max(last, x);
                }
        QVERIFY2(last - first < 80, qPrintable(QStringLiteral("%1 to %2").arg(first).arg(last)));
        QVERIFY(std::abs(first + last - image.width()) < 20);
    }
}

void RightToLeftTest::progressIsLegible() {
    QProgressBar bar;
    StudioStyle style;
    bar.setStyle(&style);
    QPalette palette;
    palette.setColor(QPalette::Base, Qt::white);
    palette.setColor(QPalette::Text, Qt::black);
    palette.setColor(QPalette::Highlight, Qt::darkBlue);
    palette.setColor(QPalette::HighlightedText, Qt::white);
    bar.setPalette(palette);
    bar.resize(300, 30);
    for (const Qt::LayoutDirection direction : {Qt::LeftToRight, Qt::RightToLeft}) {
        bar.setLayoutDirection(direction);
        for (const int value : {10, 90}) {
            bar.setValue(value);
            const QImage image = bar.grab().toImage();
            int darkest = 255;
            int lightest = 0;
            for (int x = image.width() / 2 - 10; x < image.width() / 2 + 10; ++x)
                for (int y = image.height() / 2 - 4; y < image.height() / 2 + 4; ++y) {
                    darkest = std::min(darkest, image.pixelColor(x, y).lightness());
                    lightest = std::max(lightest, image.pixelColor(x, y).lightness());
                }
            QVERIFY2(lightest - darkest > 120,
                     qPrintable(QStringLiteral("%1 to %2").arg(darkest).arg(lightest)));
        }
    }
}

void RightToLeftTest::timeRunsToTheRight() {
    Playback playback;
    PlaybackControls controls(playback);
    controls.setLength(100, 10);
    controls.resize(600, controls.sizeHint().height());
    controls.show();
    QVERIFY(QTest::qWaitForWindowExposed(&controls));
    auto* slider = controls.findChild<QSlider*>();
    QStyleOptionSlider option;
    option.initFrom(slider);
    QCOMPARE(option.direction, Qt::LeftToRight);
    playback.seek(10);
    const int early = playback.position();
    QTest::keyClick(slider, Qt::Key_Right);
    QVERIFY(playback.position() > early);
}

void RightToLeftTest::picturesStayAsTheyAre() {
    Project project;
    project.prompt = "a red ball";
    const auto plan = makeForecast(project).plan;
    QVERIFY(plan != nullptr);
    NoiseView noise;
    noise.setLevels(computeNoiseLevels(*plan));
    QCOMPARE(painted(noise, Qt::RightToLeft), painted(noise, Qt::LeftToRight));
    TileView tiles;
    tiles.setPlan(makeTilePlan(*plan));
    QCOMPARE(painted(tiles, Qt::RightToLeft), painted(tiles, Qt::LeftToRight));
}

MESHREEL_TEST_CLASS(RightToLeftTest)
#include "right_to_left_test.moc"
