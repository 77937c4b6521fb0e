// SPDX-License-Identifier: GPL-3.0-or-later
// The mark of the focus is an outline: the colours of what has the focus stay what they are.
#include <QApplication>
#include <QTest>
#include <functional>
#include <memory>

#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/run_charts.h"
#include "ui/compare/clip_comparer.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/mesh/mesh_view.h"
#include "ui/noise/noise_view.h"
#include "ui/player/frame_view.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/project/target_choice.h"
#include "ui/running/activity_graph.h"
#include "ui/theme/appearance.h"

using namespace meshreel;

namespace {

constexpr QSize viewSize{480, 320};
constexpr int outline = 2;  ///< pixels

QImage coloured() {
    QImage image(256, 128, QImage::Format_RGB32);
    for (int x = 0; x < image.width(); ++x)
        for (int y = 0; y < image.height(); ++y)
            image.setPixelColor(x, y, QColor(x, 2 * y, 255 - x));
    return image;
}

Project smallProject() {
    Project project;
    project.prompt = "a ball";
    project.iciContextParallelism = 2;
    return project;
}

std::unique_ptr<QWidget> video() {
    auto view = std::make_unique<FrameView>();
    view->setImage(coloured());
    return view;
}

std::unique_ptr<QWidget> placeholder() {
    auto view = std::make_unique<FrameView>();
    view->setPlaceholder(QStringLiteral("Nothing yet"));
    return view;
}

template <ClipPairView::Mode mode>
std::unique_ptr<QWidget> twoVideos() {
    auto view = std::make_unique<ClipPairView>();
    view->setPictures(coloured(), coloured().mirrored(), coloured());
    view->setMode(mode);
    return view;
}

std::unique_ptr<QWidget> noise() {
    auto view = std::make_unique<NoiseView>();
    view->setLevels(computeNoiseLevels(*makeForecast(smallProject()).plan));
    return view;
}

std::unique_ptr<QWidget> activity() {
    auto view = std::make_unique<ActivityGraph>(QStringLiteral("Processors"),
                                                [](double value) { return QString::number(value); });
    view->setPoints({{0, 1}, {1, 3}, {2, 2}}, 4);
    return view;
}

std::unique_ptr<QWidget> chart() {
    RunRecord run{.name = "run",
                  .attention = "flash",
                  .width = 64,
                  .height = 64,
                  .frames = 17,
                  .devices = 1,
                  .steps = {},
                  .timings = {},
                  .trace = {}};
    for (int step = 0; step < 10; ++step)
        run.steps.push_back({.step = step, .seconds = 1 + (step % 7) / 6.0});
    auto view = std::make_unique<ChartView>();
    view->draw(runChart(ChartKind::Steps, {run}).draw(), nullptr);
    return view;
}

/// What differs of two pictures, as far as it lies inside the outline.
int differingInside(const QImage& one, const QImage& other) {
    int count = 0;
    for (int x = outline; x < one.width() - outline; ++x)
        for (int y = outline; y < one.height() - outline; ++y)
            count += one.pixel(x, y) == other.pixel(x, y) ? 0 : 1;
    return count;
}

void verifyOutlined(QWidget& window, QWidget& view) {
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto picture = [&view] { return view.grab().toImage(); };
    view.clearFocus();
    QVERIFY(!view.hasFocus());
    const QImage without = picture();
    QTest::keyClick(&window, Qt::Key_Tab);  // from now on the keyboard is used
    view.setFocus(Qt::TabFocusReason);
    QVERIFY(view.hasFocus());
    const QImage with = picture();
    QCOMPARE(with.size(), without.size());
    QCOMPARE(differingInside(without, with), 0);
    const QColor accent = view.palette().color(QPalette::Highlight);
    for (const QPoint& edge : {QPoint(0, with.height() / 2), QPoint(with.width() - 1, with.height() / 2),
                               QPoint(with.width() / 2, 0), QPoint(with.width() / 2, with.height() - 1)})
        QCOMPARE(with.pixelColor(edge), accent);
    view.clearFocus();
    QVERIFY(picture() == without);
}

}  // namespace

class FocusMarkTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void colorsStayWhatTheyAre_data();
    void colorsStayWhatTheyAre();
    void meshesToo();
};

void FocusMarkTest::initTestCase() {
    chooseAppearance(Appearance::Light);  // with the Studio's own style
}

using MakeView = std::unique_ptr<QWidget> (*)();
Q_DECLARE_METATYPE(MakeView)

void FocusMarkTest::colorsStayWhatTheyAre_data() {
    QTest::addColumn<MakeView>("make");
    QTest::newRow("video") << MakeView(video);
    QTest::newRow("no video yet") << MakeView(placeholder);
    QTest::newRow("two videos") << MakeView(twoVideos<ClipPairView::Mode::SideBySide>);
    QTest::newRow("two videos, wiped") << MakeView(twoVideos<ClipPairView::Mode::Wipe>);
    QTest::newRow("difference of videos") << MakeView(twoVideos<ClipPairView::Mode::Difference>);
    QTest::newRow("noise levels") << MakeView(noise);
    QTest::newRow("activity") << MakeView(activity);
    QTest::newRow("chart") << MakeView(chart);
}

void FocusMarkTest::colorsStayWhatTheyAre() {
    QFETCH(MakeView, make);
    QWidget window;
    const std::unique_ptr<QWidget> made = make();
    window.resize(viewSize);
    made->setParent(&window);
    made->setGeometry(QRect(QPoint(), viewSize));
    verifyOutlined(window, *made);
    made->setParent(nullptr);
}

void FocusMarkTest::meshesToo() {
    ProjectDocument document;
    document.adopt(smallProject(), {});
    TargetChoice target;
    MeshPanel panel(document, target);
    panel.resize(900, 600);
    panel.showForecast(makeForecast(document.project()));
    verifyOutlined(panel, panel.view());
}

MESHREEL_TEST_CLASS(FocusMarkTest)
#include "focus_mark_test.moc"
