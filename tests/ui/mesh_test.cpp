// SPDX-License-Identifier: GPL-3.0-or-later
// What the mesh panel draws and tells, without a window.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <numeric>

#include "engine/planning/cost/mesh_traffic.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "ui/controller/plan_watch.h"
#include "ui/mesh/factoring_model.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/mesh/mesh_view.h"
#include "ui/models/project_document.h"

using namespace meshreel;

namespace {

Project projectOn(int devices, const char* mode, int ulyssesShards = -1) {
    Project project;
    project.prompt = "a red ball";
    project.attention = mode;
    project.devices = devices;
    project.ulyssesShards = ulyssesShards;
    return project;
}

MeshPicture pictureOf(const Project& project) {
    const ProjectForecast forecast = forecastOf(project);
    if (forecast.plan == nullptr)
        qFatal("no plan: %s", forecast.problems.empty() ? "" : forecast.problems.front().text().c_str());
    return meshPictureOf(*forecast.plan);
}

}  // namespace

class MeshTest : public QObject {
    Q_OBJECT

  private slots:
    void devicesShareOutTokensAndHeads_data();
    void devicesShareOutTokensAndHeads();
    void walkShowsEveryKeyToEveryDevice_data();
    void walkShowsEveryKeyToEveryDevice();
    void keysComeFromWhereTheyWereSent_data();
    void keysComeFromWhereTheyWereSent();
    void cellsLieApartInsideTheArea_data();
    void cellsLieApartInsideTheArea();
    void factoringsAreLegalAndSorted();
    void factoringModelIsSound();
    void panelStepsAndExplains();
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
}

void MeshTest::devicesShareOutTokensAndHeads() {
    QFETCH(int, devices);
    QFETCH(QString, mode);
    QFETCH(int, shards);
    const MeshPicture picture = pictureOf(projectOn(devices, qPrintable(mode), shards));
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

void MeshTest::walkShowsEveryKeyToEveryDevice_data() {
    devicesShareOutTokensAndHeads_data();
}

void MeshTest::walkShowsEveryKeyToEveryDevice() {
    QFETCH(int, devices);
    QFETCH(QString, mode);
    QFETCH(int, shards);
    const MeshPicture picture = pictureOf(projectOn(devices, qPrintable(mode), shards));
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
    const MeshPicture picture = pictureOf(projectOn(devices, qPrintable(mode), shards));
    if (picture.attention.mode->rotation == Rotation::None)
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
    const MeshPicture picture = pictureOf(project);
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

void MeshTest::factoringsAreLegalAndSorted() {
    const ProjectForecast forecast = forecastOf(projectOn(4, "tokamax_ring"));
    QVERIFY(forecast.plan != nullptr);
    const std::vector<Factoring> factorings = legalFactorings(*forecast.plan, 4);
    QVERIFY(std::ranges::is_sorted(factorings, {}, &Factoring::bytesPerStep));
    QCOMPARE(std::ranges::count_if(factorings, &Factoring::isCurrent), 1);
    QVERIFY(std::ranges::any_of(factorings, [](const Factoring& f) { return f.mode->hybrid; }));
    for (const Factoring& factoring : factorings) {
        QCOMPARE(factoring.shape.devices(), 4);
        ProjectDocument document;
        document.adopt(projectOn(4, "tokamax_ring"), {});
        document.setTexts(QStringLiteral("mesh"), factoring.changes);
        const ProjectForecast taken = forecastOf(document.project());
        QVERIFY2(taken.plan != nullptr, qPrintable(meshText(factoring.shape) + sharingText(factoring)));
        std::int64_t bytes = 0;
        for (const MeshTraffic& traffic : trafficPerStep(*taken.plan))
            bytes += traffic.bytes;
        QCOMPARE(bytes, factoring.bytesPerStep);
        document.undoStack().undo();
        QCOMPARE(document.project(), projectOn(4, "tokamax_ring"));
    }
}

void MeshTest::factoringModelIsSound() {
    FactoringModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const ProjectForecast forecast = forecastOf(projectOn(4, "tokamax_ring"));
    model.setFactorings(legalFactorings(*forecast.plan, 4));
    QVERIFY(model.rowCount() > 1);
    model.setFactorings({});
    QCOMPARE(model.rowCount(), 0);
}

void MeshTest::panelStepsAndExplains() {
    ProjectDocument document;
    document.adopt(projectOn(4, "ulysses_ring", 2), {});
    MeshPanel panel(document);
    panel.resize(900, 500);
    panel.show();
    panel.showForecast(forecastOf(document.project()));
    QCOMPARE(panel.stepCount(), 6);  // before, to heads, two rotations, to tokens, after
    QTRY_VERIFY(panel.factorings().rowCount() > 0);
    panel.view().setFocus();
    QTest::keyClick(&panel.view(), Qt::Key_Right);
    QCOMPARE(panel.view().chosenDevice(), 0);
    QVERIFY2(panel.detailText().contains(QLatin1String("trades heads with 1")),
             qPrintable(panel.detailText()));
    QTest::mouseMove(&panel.view(), panel.view().drawing().cells[3].center().toPoint());
    QTRY_COMPARE(panel.view().chosenDevice(), 3);
    for (int step = 0; step < panel.stepCount(); ++step) {
        panel.goToStep(step);
        QVERIFY(!panel.view().grab().isNull());
    }
    document.undoStack().clear();
}

QTEST_MAIN(MeshTest)
#include "mesh_test.moc"
