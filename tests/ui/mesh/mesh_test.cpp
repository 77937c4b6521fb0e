// SPDX-License-Identifier: GPL-3.0-or-later
// What the mesh panel draws and tells, without a window.
#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QPalette>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryFile>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "engine/estimates/run_work.h"
#include "engine/planning/mesh_search.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/mesh_projects.h"
#include "tests/support/studio/painted_texts.h"
#include "ui/charts/chart_style.h"
#include "ui/mesh/legal_mesh_model.h"
#include "ui/mesh/mesh_painter.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/mesh/mesh_picture.h"
#include "ui/mesh/mesh_view.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/project/target_choice.h"
#include "ui/settings/key_field.h"
#include "ui/settings/plan_parts.h"
#include "ui/widgets/edits.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

MeshPicture drawPicture(const Project& project) {
    const ProjectForecast forecast = makeForecast(project);
    if (forecast.plan == nullptr)
        qFatal("no plan: %s", forecast.problems.empty() ? "" : forecast.problems.front().text().c_str());
    return makeMeshPicture(*forecast.plan);
}

QPalette makePalette(const QColor& ground, const QColor& text) {
    QPalette palette;
    palette.setColor(QPalette::Base, ground);
    palette.setColor(QPalette::WindowText, text);
    return palette;
}

/// What the drawing of a mesh writes into its cells.
QStringList splitWords(MeshView& view) {
    QStringList words;
    for (const testing::PaintedText& text : testing::paintedTexts(view))
        words += text.text;
    return words;
}

/// A panel that shows a project, and follows it when told to.
struct ShownPanel {
    explicit ShownPanel(const Project& project) {
        document.adopt(project, {});
        document.undoStack().clear();
        panel.resize(900, 600);
        panel.show();
        forecast();
    }

    void forecast() { panel.showForecast(makeForecast(document.project())); }
    [[nodiscard]] MeshView& view() const { return panel.view(); }

    ProjectDocument document;
    TargetChoice target;
    MeshPanel panel{document, target};
};

}  // namespace

class MeshTest : public QObject {
    Q_OBJECT

  private slots:
    void devicesShareOutTokensAndHeads_data();
    void devicesShareOutTokensAndHeads();
    void devicesTellWhatTheyExchangeAlongEveryAxis();
    void walkShowsEveryKeyToEveryDevice_data();
    void walkShowsEveryKeyToEveryDevice();
    void keysComeFromWhereTheyWereSent_data();
    void keysComeFromWhereTheyWereSent();
    void cellsLieApartInsideTheArea_data();
    void cellsLieApartInsideTheArea();
    void everyRingIsSeenOnItsGround_data();
    void everyRingIsSeenOnItsGround();
    void ringsOfOneMeshLookUnlike();
    void smallCellsHaveTheirNumbers();
    void lowCellsTellTheirHeads();
    void wideCellsTellHeadsAndTokens();
    void cellsLieFlatOnlyWhereTheyHoldWords();
    void tipTellsWhatACellHasNoRoomFor();
    void panelStepsAndExplains();
    void valuesByThemselvesAreWords();
    void extentsAreLegalAndGrowOneAxis_data();
    void extentsAreLegalAndGrowOneAxis();
    void draggedHandleIsOneStepOfUndoing();
    void escapeEndsADrag();
    void arrowKeysMoveAHandle();
    void handlesHaveNamesAndStandInTheView();
    void hostsTakeRanksInOrder();
    void hostsAreOutlined();
    void panelTellsHostsAndRanks();
    void unreadableHostsAreToldWithAFix();
    void gpusCarryTheirNames_data();
    void gpusCarryTheirNames();
    void gpusAreToldFromCpus();
    void whatWasLastLegalIsMarked();
    void aProjectThatCannotBePlannedIsNotDrawn();
};

void MeshTest::devicesShareOutTokensAndHeads_data() {
    QTest::addColumn<int>("devices");
    QTest::addColumn<QString>("mode");
    QTest::addColumn<int>("shards");
    QTest::newRow("ring") << 4 << "tokamax_ring" << -1;
    QTest::newRow("line") << 4 << "ulysses_ring_custom_bidir" << 1;
    QTest::newRow("ulysses") << 2 << "ulysses" << -1;
    QTest::newRow("both") << 4 << "ulysses_ring" << 2;
    QTest::newRow("gather") << 3 << "flash" << -1;
    QTest::newRow("uneven heads") << 3 << "ulysses" << -1;
    QTest::newRow("uneven heads and a ring") << 6 << "ulysses_ring" << 3;
}

void MeshTest::devicesShareOutTokensAndHeads() {
    QFETCH(int, devices);
    QFETCH(QString, mode);
    QFETCH(int, shards);
    const MeshPicture picture = drawPicture(projectOn(devices, qPrintable(mode), shards));
    QCOMPARE(static_cast<int>(picture.devices.size()), devices);
    std::int64_t tokens = 0;
    std::int64_t work = 0;
    for (const PicturedDevice& device : picture.devices) {
        tokens += device.tokens.size();
        work += device.computeTokens.size() * device.heads.size();
        QCOMPARE(static_cast<int>(device.ulyssesGroup.size()), picture.split.ulysses);
        QCOMPARE(static_cast<int>(device.ringGroup.size()), picture.split.ring);
        QVERIFY(device.bytesReceived > 0);
    }
    QCOMPARE(tokens, picture.tokens);
    QCOMPARE(work, picture.tokens * picture.heads);
}

/// Not what attention exchanges alone: along the other axes sums, weights and predictions are.
void MeshTest::devicesTellWhatTheyExchangeAlongEveryAxis() {
    Project project = projectOn(8, "flash");
    project.iciFsdpParallelism = 2;
    project.iciContextParallelism = 2;
    project.iciTensorParallelism = 2;
    const ProjectForecast forecast = makeForecast(project);
    QVERIFY(forecast.plan != nullptr);
    const MeshPicture picture = makeMeshPicture(*forecast.plan);
    std::int64_t busiest = 0;
    for (const MeshTraffic& traffic : trafficPerStep(*forecast.plan))
        busiest += traffic.bytes;
    const auto perStep = [](const PicturedDevice& device) { return device.bytesPerStep; };
    QCOMPARE(perStep(std::ranges::max(picture.devices, {}, perStep)), busiest);
    const QString text = deviceText(picture, 0);
    QVERIFY2(text.contains(QStringLiteral("adds up layers with 1;")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("gathers weights from 4;")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("gathers predictions from 4.")), qPrintable(text));
    QVERIFY2(text.contains(QLocale().formattedDataSize(busiest, 1)), qPrintable(text));
}

void MeshTest::walkShowsEveryKeyToEveryDevice_data() {
    devicesShareOutTokensAndHeads_data();
}

void MeshTest::walkShowsEveryKeyToEveryDevice() {
    QFETCH(int, devices);
    QFETCH(QString, mode);
    QFETCH(int, shards);
    const MeshPicture picture = drawPicture(projectOn(devices, qPrintable(mode), shards));
    std::vector<std::vector<int>> seen(picture.devices.size());
    for (const WalkStep& step : walkAttention(picture))
        for (std::size_t device = 0; device < step.keys.size(); ++device)
            seen[device].insert(seen[device].end(), step.keys[device].begin(), step.keys[device].end());
    std::vector<int> all(static_cast<std::size_t>(picture.split.ring));
    std::iota(all.begin(), all.end(), 0);
    for (std::vector<int>& keys : seen) {
        std::ranges::sort(keys);
        QCOMPARE(keys, all);
    }
}

void MeshTest::keysComeFromWhereTheyWereSent_data() {
    devicesShareOutTokensAndHeads_data();
}

/// What a device works on in a step, it had before or its sender worked on in the step before.
void MeshTest::keysComeFromWhereTheyWereSent() {
    QFETCH(int, devices);
    QFETCH(QString, mode);
    QFETCH(int, shards);
    const MeshPicture picture = drawPicture(projectOn(devices, qPrintable(mode), shards));
    if (picture.attention.rotation == Rotation::None)
        QSKIP("nothing rotates");
    const std::vector<WalkStep> steps = walkAttention(picture);
    for (std::size_t i = 1; i < steps.size(); ++i) {
        if (steps[i].kind != WalkStep::Kind::Compute || steps[i - 1].kind != WalkStep::Kind::Compute)
            continue;
        for (const PicturedDevice& device : picture.devices) {
            std::vector<int> sent;
            for (const WalkTransfer& transfer : steps[i - 1].transfers)
                if (transfer.to == device.number) {
                    const std::vector<int>& keys = steps[i - 1].keys[static_cast<std::size_t>(transfer.from)];
                    sent.insert(sent.end(), keys.begin(), keys.end());
                }
            for (const int key : steps[i].keys[static_cast<std::size_t>(device.number)])
                QVERIFY(std::ranges::count(sent, key) > 0);
        }
    }
}

void MeshTest::cellsLieApartInsideTheArea_data() {
    QTest::addColumn<int>("data");
    QTest::addColumn<int>("context");
    QTest::addColumn<int>("tensor");
    QTest::addColumn<int>("shards");
    QTest::newRow("one device") << 1 << 1 << 1 << -1;
    QTest::newRow("long ring") << 1 << 32 << 1 << -1;
    QTest::newRow("groups") << 1 << 8 << 1 << 2;
    QTest::newRow("blocks") << 2 << 4 << 2 << 2;
}

void MeshTest::cellsLieApartInsideTheArea() {
    QFETCH(int, data);
    QFETCH(int, context);
    QFETCH(int, tensor);
    QFETCH(int, shards);
    Project project = projectOn(0, shards > 0 ? "ulysses_ring" : "tokamax_ring", shards);
    project.iciDataParallelism = data;
    project.iciContextParallelism = context;
    project.iciTensorParallelism = tensor;
    const MeshPicture picture = drawPicture(project);
    const QRectF area(5, 7, 620, 330);
    const MeshDrawing drawing = drawMesh(picture, area, 20, QSizeF(160, 90));
    QCOMPARE(drawing.cells.size(), picture.devices.size());
    QCOMPARE(static_cast<int>(drawing.blocks.size()), data * tensor);
    for (std::size_t i = 0; i < drawing.cells.size(); ++i) {
        QVERIFY(area.contains(drawing.cells[i]));
        QCOMPARE(drawing.deviceAt(drawing.cells[i].center()), static_cast<int>(i));
        for (std::size_t j = 0; j < i; ++j)
            QVERIFY(!drawing.cells[i].intersects(drawing.cells[j]));
    }
    QCOMPARE(drawing.deviceAt(QPointF(0, 0)), -1);
}

void MeshTest::everyRingIsSeenOnItsGround_data() {
    QTest::addColumn<QPalette>("palette");
    QTest::newRow("light") << makePalette(Qt::white, QColor(0x20, 0x22, 0x26));
    QTest::newRow("dark") << makePalette(QColor(0x1b, 0x1d, 0x21), QColor(0xe6, 0xe6, 0xe6));
}

void MeshTest::everyRingIsSeenOnItsGround() {
    QFETCH(QPalette, palette);
    constexpr int rings = 256;
    constexpr double readable = 4.5;  // WCAG 2.1, level AA
    const QColor ground = palette.color(QPalette::Base);
    for (int ring = 0; ring < rings; ++ring) {
        const QColor color = ringLook(ring, palette).color;
        const double contrast = measureContrast(color, ground);
        QVERIFY2(contrast >= 2, qPrintable(QStringLiteral("%1: %2").arg(ring).arg(contrast)));
        QVERIFY(contrast >= measureContrast(ChartStyle::series(ring), ground) * 0.99);
        QVERIFY2(measureContrast(color, wordsOn(color)) >= readable, qPrintable(color.name()));
    }
}

void MeshTest::ringsOfOneMeshLookUnlike() {
    const QPalette palette = makePalette(Qt::white, Qt::black);
    constexpr int rings = 64;
    for (int ring = 0; ring < rings; ++ring)
        for (int other = 0; other < ring; ++other)
            QVERIFY2(!(ringLook(ring, palette) == ringLook(other, palette)),
                     qPrintable(QStringLiteral("%1 and %2").arg(ring).arg(other)));
}

void MeshTest::smallCellsHaveTheirNumbers() {
    ShownPanel shown(projectOn(64, "tokamax_ring"));
    shown.view().setFixedSize(450, 190);  // as in a window of 1280 x 800
    QTRY_COMPARE(shown.view().drawing().cells.size(), 64U);
    const QStringList words = splitWords(shown.view());
    for (int device = 0; device < 64; ++device)
        QVERIFY2(words.contains(QString::number(device)), qPrintable(QString::number(device)));
    QVERIFY(!words.join(QLatin1Char(' ')).contains(QLatin1String("heads")));
}

void MeshTest::lowCellsTellTheirHeads() {
    ShownPanel shown(projectOn(16, "tokamax_ring"));
    shown.view().setFixedSize(560, 210);
    QTRY_COMPARE(shown.view().drawing().cells.size(), 16U);
    const QStringList words = splitWords(shown.view());
    QCOMPARE(words.filter(QRegularExpression(QStringLiteral("^[0-9]+$"))).size(), 16);
    QCOMPARE(words.filter(QStringLiteral("heads 0–7")).size(), 16);
    QVERIFY(words.filter(QStringLiteral("tokens")).isEmpty());
}

void MeshTest::wideCellsTellHeadsAndTokens() {
    ShownPanel shown(projectOn(4, "ulysses"));
    shown.view().setFixedSize(700, 300);
    QTRY_COMPARE(shown.view().drawing().cells.size(), 4U);
    const QStringList words = splitWords(shown.view());
    QCOMPARE(words.filter(QStringLiteral("heads 0–7")).size(), 4);
    QVERIFY2(words.contains(QStringLiteral("tokens 60–79")), qPrintable(words.join(QLatin1Char('|'))));
}

void MeshTest::cellsLieFlatOnlyWhereTheyHoldWords() {
    const MeshPicture picture = drawPicture(projectOn(8, "ulysses_ring", 2));
    for (const int height : {90, 110, 130, 180, 260}) {
        const QRectF area(0, 0, 330, height);
        const QSizeF cell = drawMesh(picture, area, 20, QSizeF(172, 92)).cells.front().size();
        QVERIFY2(cell.width() < 4 * cell.height() || cell.height() >= 30,  // two lines
                 qPrintable(QStringLiteral("%1: %2 x %3").arg(height).arg(cell.width()).arg(cell.height())));
    }
}

void MeshTest::tipTellsWhatACellHasNoRoomFor() {
    ShownPanel shown(projectOn(64, "tokamax_ring"));
    QTRY_COMPARE(shown.view().drawing().cells.size(), 64U);
    const auto tipAt = [&](const QPoint& place) {
        QHelpEvent event(QEvent::ToolTip, place, shown.view().mapToGlobal(place));
        QApplication::sendEvent(&shown.view(), &event);
        return QToolTip::text();
    };
    const QString tip = tipAt(shown.view().drawing().cells[37].center().toPoint());
    QVERIFY2(tip.contains(QLatin1String("Device 37")), qPrintable(tip));
    QVERIFY2(tip.contains(QLatin1String("of heads 0 to 7")), qPrintable(tip));
    QTRY_VERIFY(tipAt(QPoint(1, 1)).isEmpty());  // tips fade away
}

void MeshTest::valuesByThemselvesAreWords() {
    Project project = projectOn(4, "ulysses_ring", 2);
    project.devices = 0;
    project.iciContextParallelism = 4;
    ShownPanel shown(project);
    const auto field = [&shown](const char* key) {
        return shown.panel.findChild<KeyField*>(QLatin1String(key))->findChild<NumberEdit*>();
    };
    NumberEdit* devices = field("devices");
    QCOMPARE(devices->shownText(), QStringLiteral("auto (4)"));
    QCOMPARE(devices->value(), QStringLiteral("0"));
    QCOMPARE(field("ici_data_parallelism")->shownText(), QStringLiteral("1"));
    QCOMPARE(field("ulysses_shards")->shownText(), QStringLiteral("2"));
    QCOMPARE(shown.panel.findChild<QLabel*>(QStringLiteral("ring"))->text(), QStringLiteral("2"));
    // Whoever types sees the value itself.
    devices->setFocus();
    QApplication::setActiveWindow(&shown.panel);
    QTRY_VERIFY(devices->hasFocus());
    QCOMPARE(devices->shownText(), QStringLiteral("0"));
    QTest::keyClicks(devices, QStringLiteral("8"));
    QCOMPARE(shown.document.project().devices, 8);
    field("ulysses_shards")->setFocus();
    QCOMPARE(devices->shownText(), QStringLiteral("8"));
    shown.document.setText(*findProjectKey("ici_context_parallelism"), QStringLiteral("-1"));
    shown.forecast();
    QCOMPARE(field("ici_context_parallelism")->shownText(), QStringLiteral("auto (8)"));
}

void MeshTest::panelStepsAndExplains() {
    ProjectDocument document;
    document.adopt(projectOn(4, "ulysses_ring", 2), {});
    TargetChoice target;
    MeshPanel panel(document, target);
    panel.resize(900, 500);
    panel.show();
    panel.showForecast(makeForecast(document.project()));
    QCOMPARE(panel.stepCount(), 6);  // before, to heads, two rotations, to tokens, after
    QTRY_VERIFY(panel.legalMeshes().rowCount() > 0);
    panel.view().setFocus();
    QTest::keyClick(&panel.view(), Qt::Key_Right);
    QCOMPARE(panel.view().chosenDevice(), 0);
    QVERIFY2(panel.detailText().contains(QLatin1String("trades heads with 1")),
             qPrintable(panel.detailText()));
    QTest::keyClick(&panel.view(), Qt::Key_End);
    QCOMPARE(panel.view().chosenDevice(), 3);
    QTest::keyClick(&panel.view(), Qt::Key_Home);
    QCOMPARE(panel.view().chosenDevice(), 0);
    QTest::keyClick(&panel.view(), Qt::Key_Escape);
    QCOMPARE(panel.view().chosenDevice(), -1);
    QTest::mouseMove(&panel.view(), panel.view().drawing().cells[3].center().toPoint());
    QTRY_COMPARE(panel.view().chosenDevice(), 3);
    for (int step = 0; step < panel.stepCount(); ++step) {
        panel.goToStep(step);
        QVERIFY(!panel.view().grab().isNull());
    }
    document.undoStack().clear();
}

void MeshTest::extentsAreLegalAndGrowOneAxis_data() {
    QTest::addColumn<QString>("mode");
    QTest::addColumn<int>("shards");
    QTest::addColumn<int>("axis");
    QTest::addColumn<QList<int>>("first");  // of the extents; the tiny model has 8 heads
    const auto axis = [](MeshAxis which) { return static_cast<int>(which); };
    QTest::newRow("a head for each") << "ulysses" << -1 << axis(MeshAxis::Context)
                                     << QList<int>{1, 2, 3, 4, 5, 6, 7, 8};
    QTest::newRow("any ring") << "tokamax_ring" << -1 << axis(MeshAxis::Context) << QList<int>{1, 2, 3, 4, 5};
    QTest::newRow("both") << "ulysses_ring" << 2 << axis(MeshAxis::Context) << QList<int>{1, 2, 3, 4};
    QTest::newRow("batch") << "ulysses" << -1 << axis(MeshAxis::Data) << QList<int>{1, 2};
    QTest::newRow("tensor") << "tokamax_ring" << -1 << axis(MeshAxis::Tensor) << QList<int>{1, 2, 4, 8};
}

void MeshTest::extentsAreLegalAndGrowOneAxis() {
    QFETCH(QString, mode);
    QFETCH(int, shards);
    QFETCH(int, axis);
    QFETCH(QList<int>, first);
    const Project project = projectOn(4, qPrintable(mode), shards);
    const ProjectForecast forecast = makeForecast(project);
    QVERIFY(forecast.plan != nullptr);
    const MeshAxis changed = meshAxes.at(static_cast<std::size_t>(axis));
    const std::vector<AxisChoice> choices = legalExtents(*forecast.plan).at(static_cast<std::size_t>(axis));
    QVERIFY(std::ranges::is_sorted(choices, {}, &AxisChoice::extent));
    for (qsizetype i = 0; i < first.size(); ++i)
        QCOMPARE(choices.at(static_cast<std::size_t>(i)).extent, first[i]);
    constexpr int mostForecasts = 8;  // each takes its time
    for (const AxisChoice& choice : choices) {
        if (choice.extent > mostForecasts && &choice != &choices.back())
            continue;
        ProjectDocument document;
        document.adopt(project, {});
        document.setTexts(QStringLiteral("mesh"), choice.changes);
        const ProjectForecast taken = makeForecast(document.project());
        QVERIFY2(taken.plan != nullptr, qPrintable(meshText(choice.layout.shape())));
        QCOMPARE(taken.plan->layout, choice.layout);
        for (const MeshAxis other : meshAxes)
            QCOMPARE(taken.plan->layout.shape().extent(other),
                     other == changed ? choice.extent : forecast.plan->layout.shape().extent(other));
        QCOMPARE(makeMeshPicture(*taken.plan).split.ulysses, choice.split.ulysses);
    }
}

void MeshTest::draggedHandleIsOneStepOfUndoing() {
    const Project before = projectOn(4, "ulysses");
    ShownPanel shown(before);
    AxisHandle& handle = shown.view().handle(MeshAxis::Context);
    QTRY_COMPARE(handle.legalExtents(), (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
    const QPoint grip = handle.rect().center();
    QTest::mousePress(&handle, Qt::LeftButton, {}, grip);
    QTest::mouseMove(&handle, grip - QPoint(40, 0));
    QVERIFY(handle.isDragged());
    QCOMPARE(handle.shownExtent(), 3);
    const AxisChoice* aimed = shown.view().aimedChoice();
    QVERIFY(aimed != nullptr);
    QCOMPARE(aimed->layout.devices(), 3);
    QCOMPARE(shown.document.project(), before);  // nothing is set before the button is released
    const QImage outlined = shown.view().grab().toImage();
    QTest::mouseMove(&handle, grip + QPoint(400, 0));
    QCOMPARE(handle.shownExtent(), 8);
    QVERIFY(shown.view().grab().toImage() != outlined);
    QTest::mouseRelease(&handle, Qt::LeftButton, {}, grip);
    QVERIFY(shown.view().aimedChoice() == nullptr);
    QCOMPARE(shown.document.project().iciContextParallelism, 8);
    QCOMPARE(shown.document.project().devices, 8);
    QCOMPARE(shown.document.undoStack().count(), 1);
    shown.document.undoStack().undo();
    QCOMPARE(shown.document.project(), before);
}

void MeshTest::escapeEndsADrag() {
    const Project before = projectOn(4, "ulysses");
    ShownPanel shown(before);
    AxisHandle& handle = shown.view().handle(MeshAxis::Context);
    QTRY_VERIFY(handle.legalExtents().size() > 1);
    const QPoint grip = handle.rect().center();
    QTest::mousePress(&handle, Qt::LeftButton, {}, grip);
    QTest::mouseMove(&handle, grip - QPoint(40, 0));
    QVERIFY(shown.view().aimedChoice() != nullptr);
    QTest::keyClick(&handle, Qt::Key_Escape);
    QVERIFY(!handle.isDragged());
    QVERIFY(shown.view().aimedChoice() == nullptr);
    QTest::mouseMove(&handle, grip - QPoint(80, 0));
    QTest::mouseRelease(&handle, Qt::LeftButton, {}, grip);
    QCOMPARE(shown.document.project(), before);
    QCOMPARE(shown.document.undoStack().count(), 0);
}

void MeshTest::arrowKeysMoveAHandle() {
    ShownPanel shown(projectOn(4, "ulysses"));
    AxisHandle& handle = shown.view().handle(MeshAxis::Context);
    QTRY_VERIFY(handle.legalExtents().size() > 1);
    for (const int extent : {5, 6, 7, 8}) {
        QTest::keyClick(&handle, Qt::Key_Right);
        QCOMPARE(shown.document.project().iciContextParallelism, extent);
    }
    QTest::keyClick(&handle, Qt::Key_Right);  // the last one
    QCOMPARE(shown.document.undoStack().count(), 4);
    QTest::keyClick(&handle, Qt::Key_Left);
    QTest::keyClick(&handle, Qt::Key_Up);
    QCOMPARE(shown.document.project().iciContextParallelism, 6);
    QCOMPARE(shown.document.undoStack().count(), 6);
    handle.triggerAction(QAbstractSlider::SliderSingleStepAdd);  // as assistive programs do
    QCOMPARE(shown.document.project().iciContextParallelism, 7);
    // What was legal along the others was so for another number along this one.
    QTest::keyClick(&shown.view().handle(MeshAxis::Data), Qt::Key_Down);
    QCOMPARE(shown.document.project().iciDataParallelism, 1);
    QCOMPARE(shown.view().handle(MeshAxis::Data).extent(), 1);
    shown.forecast();
    QTRY_VERIFY((QTest::keyClick(&shown.view().handle(MeshAxis::Data), Qt::Key_Down),
                 shown.document.project().iciDataParallelism == 2));
    QCOMPARE(shown.document.project().iciContextParallelism, 7);
}

void MeshTest::handlesHaveNamesAndStandInTheView() {
    ShownPanel shown(projectOn(8, "ulysses"));
    QStringList names;
    for (const MeshAxis axis : meshAxes) {
        AxisHandle& handle = shown.view().handle(axis);
        QVERIFY(handle.isVisible());
        QVERIFY(shown.view().rect().contains(handle.geometry()));
        for (const QRectF& cell : shown.view().drawing().cells)
            QVERIFY(!cell.toRect().intersects(handle.geometry()));
        QVERIFY(handle.focusPolicy() & Qt::TabFocus);
        QVERIFY(!handle.accessibleDescription().isEmpty());
        names += handle.accessibleName();
    }
    QCOMPARE(names.removeDuplicates(), 0);
}

void MeshTest::hostsTakeRanksInOrder() {
    Project project = projectOn(8, "ulysses");
    const HostsFile file("alpha slots=2\nbeta\ngamma\n");
    project.hosts = file.path();
    const ProjectForecast forecast = makeForecast(project);
    QVERIFY(forecast.plan != nullptr);
    QCOMPARE(forecast.plan->ranks, 4);
    const MeshPicture picture = makeMeshPicture(*forecast.plan, forecast.hosts);
    std::vector<int> ranks;
    std::vector<std::size_t> hosts;
    for (const PicturedDevice& device : picture.devices) {
        ranks.push_back(device.rank);
        hosts.push_back(device.host);
    }
    QCOMPARE(ranks, (std::vector{0, 0, 1, 1, 2, 2, 3, 3}));
    QCOMPARE(hosts, (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 2, 2}));
    QVERIFY2(deviceText(picture, 5).contains(QLatin1String("rank 2 on beta")),
             qPrintable(deviceText(picture, 5)));
    // Without a number of devices each rank has one, as when it is launched.
    project.devices = 0;
    QCOMPARE(makeForecast(project).plan->layout.devices(), 4);
}

void MeshTest::hostsAreOutlined() {
    Project project = projectOn(8, "ulysses");
    project.iciContextParallelism = 2;
    project.iciDataParallelism = 2;
    project.dcnContextParallelism = 2;
    const HostsFile file("alpha slots=2\nbeta slots=2\n");
    project.hosts = file.path();
    const ProjectForecast forecast = makeForecast(project);
    QVERIFY(forecast.plan != nullptr);
    const MeshPicture picture = makeMeshPicture(*forecast.plan, forecast.hosts);
    const MeshDrawing drawing = drawMesh(picture, QRectF(0, 0, 620, 330), 20, QSizeF(160, 90));
    QCOMPARE(drawing.hosts.size(), 2U);
    for (const PicturedDevice& device : picture.devices)
        for (std::size_t host = 0; host < drawing.hosts.size(); ++host)
            QCOMPARE(drawing.hosts[host].contains(drawing.cells[static_cast<std::size_t>(device.number)]),
                     host == device.host);
    // A piece for each of the two blocks, without lines between the devices of a host.
    for (const QPainterPath& outline : drawing.hosts)
        QCOMPARE(outline.toSubpathPolygons().size(), 2);
    QVERIFY(
        drawMesh(makeMeshPicture(*forecast.plan), QRectF(0, 0, 620, 330), 20, QSizeF(160, 90)).hosts.empty());
}

void MeshTest::panelTellsHostsAndRanks() {
    Project project = projectOn(8, "ulysses");
    ShownPanel shown(project);
    QVERIFY(shown.panel.hostsText().isEmpty());
    const HostsFile even("alpha slots=4\nbeta slots=4\n");
    shown.document.setText(*findProjectKey("hosts"), QString::fromStdString(even.path()));
    shown.forecast();
    QVERIFY2(shown.panel.hostsText().contains(QLatin1String("2 host")), qPrintable(shown.panel.hostsText()));
    QVERIFY2(shown.panel.hostsText().contains(QLatin1String("8 rank")), qPrintable(shown.panel.hostsText()));
    shown.view().chooseDevice(7);
    QVERIFY2(shown.panel.detailText().contains(QLatin1String("rank 7 on beta")),
             qPrintable(shown.panel.detailText()));
    for (const char* key : {"hosts", "dcn_data_parallelism", "dcn_fsdp_parallelism",
                            "dcn_context_parallelism", "dcn_tensor_parallelism"})
        QVERIFY2(shown.panel.findChild<QWidget*>(QLatin1String(key)) != nullptr, key);
    QTRY_VERIFY(shown.panel.legalMeshes().rowCount() > 0);
}

void MeshTest::unreadableHostsAreToldWithAFix() {
    Project project = projectOn(4, "ulysses");
    const HostsFile file("alpha slots=none\n");
    project.hosts = file.path();
    ShownPanel shown(project);
    QVERIFY2(shown.panel.hostsText().contains(QLatin1String(":1: 'none'")),
             qPrintable(shown.panel.hostsText()));
    const ProjectForecast forecast = makeForecast(shown.document.project());
    const auto refused = std::ranges::find(forecast.problems, "hosts", &Problem::key);
    QVERIFY(refused != forecast.problems.end() && !refused->hint().empty());
    QVERIFY(shown.panel.hostsText().contains(QString::fromStdString(refused->hint().text())));
    shown.document.setText(*findProjectKey("hosts"), {});
    shown.forecast();
    QVERIFY(shown.panel.hostsText().isEmpty());
}

void MeshTest::whatWasLastLegalIsMarked() {
    ShownPanel shown(projectOn(8, "ulysses"));
    const auto* mark = shown.panel.findChild<LastPlanMark*>();
    QVERIFY(!mark->isMarked());
    shown.document.setText(*findProjectKey("devices"), QStringLiteral("7"));
    shown.document.setText(*findProjectKey("ici_data_parallelism"), QStringLiteral("3"));
    ProjectForecast illegal = makeForecast(shown.document.project());
    QVERIFY(illegal.plan == nullptr);
    illegal.hadPlan = true;
    shown.panel.showForecast(illegal);
    QVERIFY(mark->isMarked());
    QVERIFY(shown.panel.emptyText().isEmpty());
    QCOMPARE(shown.view().drawing().cells.size(), 8U);
    shown.document.undoStack().undo();
    shown.document.undoStack().undo();
    shown.forecast();
    QVERIFY(!mark->isMarked());
}

void MeshTest::aProjectThatCannotBePlannedIsNotDrawn() {
    ShownPanel shown(projectOn(8, "ulysses"));
    Project other = projectOn(7, "flash");
    other.iciDataParallelism = 3;
    shown.document.adopt(other, QStringLiteral("another"));
    shown.forecast();
    const QString uneven = shown.panel.emptyText();
    QVERIFY2(uneven.contains(QLatin1Char('3')), qPrintable(uneven));
    QVERIFY(!shown.panel.findChild<LastPlanMark*>()->isMarked());
    // One device, and then none that can be told: that it runs on one would be untrue.
    Project one = projectOn(1, "flash");
    shown.document.adopt(one, QStringLiteral("one"));
    shown.forecast();
    QVERIFY2(shown.panel.emptyText().contains(QLatin1String("uses one device")),
             qPrintable(shown.panel.emptyText()));
    shown.document.adopt(other, QStringLiteral("another"));
    ProjectForecast illegal = makeForecast(shown.document.project());
    illegal.hadPlan = true;
    shown.panel.showForecast(illegal);
    QVERIFY2(shown.panel.emptyText().contains(QLatin1String("cannot be planned")),
             qPrintable(shown.panel.emptyText()));
}

void MeshTest::gpusCarryTheirNames_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("nvidia") << "NVIDIA GeForce RTX 4070"
                            << "RTX 4070";
    QTest::newRow("data centre") << "NVIDIA H100 80GB HBM3"
                                 << "H100 80GB HBM3";
    QTest::newRow("amd") << "AMD Radeon RX 7900 XTX (RADV NAVI31)"
                         << "Radeon RX 7900 XTX";
    QTest::newRow("intel") << "Intel(R) Arc(tm) A770 Graphics (DG2)"
                           << "Arc A770";
    QTest::newRow("software") << "llvmpipe (LLVM 15.0.6, 256 bits)"
                              << "llvmpipe";
    QTest::newRow("nothing else") << "AMD Graphics (RADV)"
                                  << "AMD Graphics";
}

void MeshTest::gpusCarryTheirNames() {
    QFETCH(QString, name);
    QFETCH(QString, wanted);
    QCOMPARE(shortGpuName(name), wanted);
}

void MeshTest::gpusAreToldFromCpus() {
    constexpr double memory = 64e9;
    const GpuDriver driver{
        .manifest = "/card.json",
        .gpus = {
            {.id = "1", .name = "NVIDIA GeForce RTX 4070", .kind = GpuKind::Discrete, .memoryTotal = memory},
            {.id = "2", .name = "AMD Radeon RX 7900 XTX (RADV NAVI31)", .memoryTotal = memory}}};
    Project project = projectOn(2, "tokamax_ring");
    project.gpus = {.numbers = {0, 1}};
    PlanOptions options{.drivers = std::vector{driver}};
    const auto paint = [](const MeshPicture& picture, MeshView& view) {
        view.resize(600, 300);
        view.setPicture(picture);
        return view.grab().toImage().scaled(view.size());
    };
    const MeshPicture gpus = makeMeshPicture(*makePlan(project, options));
    QVERIFY(deviceText(gpus, 1).contains(QStringLiteral("GPU 1 (AMD Radeon RX 7900 XTX (RADV NAVI31))")));
    QVERIFY(meshSentence(gpus).contains(QStringLiteral("pins are GPUs")));
    MeshView view;
    const QImage drawn = paint(gpus, view);
    const QStringList words = splitWords(view);
    QVERIFY2(words.contains(QStringLiteral("RTX 4070")), qPrintable(words.join(QLatin1Char('|'))));
    QVERIFY(words.contains(QStringLiteral("Radeon RX 7900 XTX")));

    project.gpus = GpuChoice::none();
    const MeshPicture cpus = makeMeshPicture(*makePlan(project, options));
    QVERIFY(!deviceText(cpus, 1).contains(QStringLiteral("GPU")));
    QVERIFY(!meshSentence(cpus).contains(QStringLiteral("GPU")));
    MeshView plain;
    const QImage undecorated = paint(cpus, plain);
    // Above a cell: a GPU's pins stand there.
    const auto inked = [&](const QImage& image, const MeshView& of) {
        const QRect above = of.drawing().cells[0].toRect().adjusted(8, -2, -8, 0);
        int count = 0;
        for (int x = above.left(); x < above.right(); ++x)
            count +=
                image.pixelColor(x, above.top()) != image.pixelColor(above.left() - 12, above.top()) ? 1 : 0;
        return count;
    };
    QVERIFY2(inked(drawn, view) > inked(undecorated, plain) + 8,
             qPrintable(QString::number(inked(drawn, view))));
}

MESHREEL_TEST_CLASS(MeshTest)
#include "mesh_test.moc"
