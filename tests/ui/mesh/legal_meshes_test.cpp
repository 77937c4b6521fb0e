// SPDX-License-Identifier: GPL-3.0-or-later
// The legal meshes that the Studio offers: which, in which order, and what choosing one does.
#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryFile>
#include <QTest>
#include <algorithm>
#include <set>
#include <tuple>

#include "engine/estimates/run_work.h"
#include "engine/planning/forecast.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/mesh_projects.h"
#include "ui/mesh/legal_mesh_model.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/mesh/mesh_view.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/project/target_choice.h"
#include "ui/theme/look.h"
#include "ui/widgets/splitter.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

ProjectForecast plannedForecastOf(const Project& project) {
    ProjectForecast forecast = makeForecast(project);
    if (forecast.plan == nullptr)
        qFatal("no plan: %s", forecast.problems.empty() ? "" : forecast.problems.front().text().c_str());
    return forecast;
}

std::vector<LegalMesh> meshesOf(const ProjectForecast& forecast) {
    return rankedMeshes(*forecast.plan, ranksByHost(forecast.hosts));
}

/// What tells meshes apart.
using Identity = std::tuple<std::string, std::string, std::string, int>;

Identity identityOf(const MeshLayout& layout, const AttentionMode& mode, int ulysses) {
    return {layout.ici().text(), layout.dcn().text(), std::string(mode.name), ulysses};
}

std::multiset<Identity> identitiesOf(const std::vector<LegalMesh>& meshes) {
    std::multiset<Identity> identities;
    for (const LegalMesh& mesh : meshes)
        identities.insert(identityOf(mesh.layout, *mesh.mode, mesh.mode->hybrid() ? mesh.split.ulysses : 0));
    return identities;
}

QString toText(const Identity& identity) {
    const auto& [ici, dcn, mode, ulysses] = identity;
    return QStringLiteral("\n%1 × %2: %3 %4")
        .arg(QString::fromStdString(dcn), QString::fromStdString(ici), QString::fromStdString(mode))
        .arg(ulysses);
}

QString differenceText(const std::multiset<Identity>& offered, const std::multiset<Identity>& found) {
    QString text;
    for (const Identity& identity : offered)
        if (!found.contains(identity))
            text += toText(identity) + QLatin1String(" is offered, and not legal");
    for (const Identity& identity : found)
        if (!offered.contains(identity))
            text += toText(identity) + QLatin1String(" is legal, and not offered");
    return text;
}

std::vector<MeshShape> collectShapes(int devices) {
    std::vector<MeshShape> shapes;
    for (int data = 1; data <= devices; ++data)
        for (int fsdp = 1; fsdp <= devices; ++fsdp)
            for (int context = 1; context <= devices; ++context)
                for (int tensor = 1; tensor <= devices; ++tensor)
                    if (data * fsdp * context * tensor == devices)
                        shapes.push_back({data, fsdp, context, tensor});
    return shapes;
}

Project on(Project project, const MeshShape& ici, const MeshShape& dcn, const char* mode, int ulyssesShards) {
    project.iciDataParallelism = ici.data;
    project.iciFsdpParallelism = ici.fsdp;
    project.iciContextParallelism = ici.context;
    project.iciTensorParallelism = ici.tensor;
    project.dcnDataParallelism = dcn.data;
    project.dcnFsdpParallelism = dcn.fsdp;
    project.dcnContextParallelism = dcn.context;
    project.dcnTensorParallelism = dcn.tensor;
    project.attention = mode;
    project.ulyssesShards = ulyssesShards;
    return project;
}

/// Every mesh of so many hosts on which the project can be planned and no device is idle.
std::multiset<Identity> foundByForecasts(const Project& project, int hosts) {
    constexpr int batch = 2;  // the halves of guidance
    const int devices = static_cast<int>(project.devices);
    std::multiset<Identity> found;
    for (const MeshShape& dcn : collectShapes(hosts))
        for (const MeshShape& ici : collectShapes(devices / hosts))
            for (const char* name : {"flash", "ulysses", "tokamax_ring", "ulysses_ring"}) {
                const AttentionMode& mode = *findAttentionMode(name);
                if (ici.data * dcn.data * ici.fsdp * dcn.fsdp > batch)
                    continue;
                const int context = ici.context * dcn.context;
                for (int shards = mode.hybrid() ? 2 : 0; shards < (mode.hybrid() ? context : 1); ++shards) {
                    const Project other = on(project, ici, dcn, name, mode.hybrid() ? shards : -1);
                    if (makeForecast(other).plan != nullptr)
                        found.insert(identityOf(MeshLayout(ici, dcn), mode, mode.hybrid() ? shards : 0));
                }
            }
    return found;
}

const LegalMesh* find(const std::vector<LegalMesh>& meshes, const MeshLayout& layout, const char* mode,
                      int ulysses) {
    const auto found = std::ranges::find_if(meshes, [&](const LegalMesh& mesh) {
        return mesh.layout == layout && mesh.mode->name == mode && mesh.split.ulysses == ulysses;
    });
    return found == meshes.end() ? nullptr : &*found;
}

}  // namespace

class LegalMeshesTest : public QObject {
    Q_OBJECT

  private slots:
    void everyOfferedMeshIsLegalOnceAndInOrder_data();
    void everyOfferedMeshIsLegalOnceAndInOrder();
    void allLegalMeshesAreOffered_data();
    void allLegalMeshesAreOffered();
    void oneHostLeavesTheAxesBetweenHostsAlone();
    void twoHostsOfTwoDevicesHaveTheirMeshesBetweenHosts();
    void equalsMoveTheLeastBetweenHostsFirst();
    void axesBetweenHostsAreSharedOutAnewWithoutAFileOfHosts();
    void aMeshThatLiesAlikeOnTheHostsIsTheCurrentOne();
    void aMeshThatAHostsEndCutsIsNotOffered();
    void unlikeHostsAreCutWhereNoneEnds();
    void manyDevicesOnSeveralHostsStayFew();
    void modelIsSound();
    void rowsTellHowMuchLongerAStepTakes();
    void meshAndWhatRanksItAreReadWhole_data();
    void meshAndWhatRanksItAreReadWhole();
    void listLeavesTheDrawingItsRoom();
    void columnsOfHostsShowWithSeveralOnly();
    void usingAMeshSetsItsKeysAsOneStepOfUndoing();
    void theListSaysItsOrderAndOffersToMeasure();
};

void LegalMeshesTest::everyOfferedMeshIsLegalOnceAndInOrder_data() {
    QTest::addColumn<int>("devices");
    QTest::addColumn<QByteArray>("hosts");
    QTest::newRow("one host") << 4 << QByteArray();
    QTest::newRow("ranks of one host") << 4 << QByteArray("alpha slots=4\n");
    QTest::newRow("two hosts") << 4 << QByteArray("alpha slots=2\nbeta slots=2\n");
    QTest::newRow("ranks with several devices") << 8 << QByteArray("alpha\nbeta\n");
    QTest::newRow("three hosts") << 6 << QByteArray("alpha\nbeta\ngamma\n");
    QTest::newRow("unlike hosts") << 6 << QByteArray("alpha slots=2\nbeta\n");
}

void LegalMeshesTest::everyOfferedMeshIsLegalOnceAndInOrder() {
    QFETCH(int, devices);
    QFETCH(QByteArray, hosts);
    Project project = projectOn(devices, "tokamax_ring");
    const HostsFile file(hosts.constData());
    if (!hosts.isEmpty())
        project.hosts = file.path();
    const std::vector<LegalMesh> meshes = meshesOf(plannedForecastOf(project));
    QVERIFY(meshes.size() > 1);
    const auto order = [](const LegalMesh& mesh) {
        return std::pair(mesh.bytesPerStep, mesh.bytesBetweenHosts);
    };
    QVERIFY(std::ranges::is_sorted(meshes, {}, order));
    QVERIFY(std::ranges::any_of(meshes, [](const LegalMesh& f) { return f.mode->hybrid(); }));
    QCOMPARE(std::ranges::count_if(meshes, &LegalMesh::isCurrent), 1);
    const std::multiset<Identity> identities = identitiesOf(meshes);
    QCOMPARE(std::set<Identity>(identities.begin(), identities.end()).size(), identities.size());
    for (const LegalMesh& mesh : meshes) {
        ProjectDocument document;
        document.adopt(project, {});
        document.setTexts(QStringLiteral("mesh"), mesh.changes);
        const ProjectForecast taken = makeForecast(document.project());
        QVERIFY2(taken.plan != nullptr,
                 qPrintable(layoutText(mesh.layout) + QLatin1Char(' ') + sharingText(mesh)));
        QCOMPARE(taken.plan->layout, mesh.layout);
        QCOMPARE(taken.plan->layout.devices(), devices);
        QCOMPARE(taken.plan->attention.mode, mesh.mode);
        std::int64_t bytes = 0;
        for (const MeshTraffic& traffic : trafficPerStep(*taken.plan))
            bytes += traffic.bytes;
        QCOMPARE(bytes, mesh.bytesPerStep);
        QCOMPARE(bytesBetweenHosts(*taken.plan), mesh.bytesBetweenHosts);
        document.undoStack().undo();
        QCOMPARE(document.project(), project);
    }
}

void LegalMeshesTest::allLegalMeshesAreOffered_data() {
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("hosts");
    QTest::newRow("one host") << 4 << 1;
    QTest::newRow("one host, not a power of two") << 6 << 1;
    QTest::newRow("two hosts") << 4 << 2;
}

void LegalMeshesTest::allLegalMeshesAreOffered() {
    QFETCH(int, devices);
    QFETCH(int, hosts);
    Project project = projectOn(devices, "ulysses");
    const HostsFile file("alpha slots=2\nbeta slots=2\n");
    if (hosts > 1)
        project.hosts = file.path();
    const std::multiset<Identity> offered = identitiesOf(meshesOf(plannedForecastOf(project)));
    const std::multiset<Identity> found = foundByForecasts(project, hosts);
    QVERIFY2(offered == found, qPrintable(differenceText(offered, found)));
}

void LegalMeshesTest::oneHostLeavesTheAxesBetweenHostsAlone() {
    Project project = projectOn(4, "ulysses");
    const HostsFile file("alpha slots=4\n");
    for (const std::string& hosts : {std::string(), file.path()}) {
        project.hosts = hosts;
        for (const LegalMesh& mesh : meshesOf(plannedForecastOf(project))) {
            QCOMPARE(mesh.layout.dcn(), MeshShape());
            QCOMPARE(mesh.bytesBetweenHosts, 0);
            for (const KeyChange& change : mesh.changes)
                QVERIFY2(!change.key.starts_with("dcn_"), change.key.c_str());
        }
    }
}

void LegalMeshesTest::twoHostsOfTwoDevicesHaveTheirMeshesBetweenHosts() {
    Project project = projectOn(4, "ulysses");
    const HostsFile file("alpha slots=2\nbeta slots=2\n");
    project.hosts = file.path();
    const std::vector<LegalMesh> meshes = meshesOf(plannedForecastOf(project));
    const MeshLayout batchBetween({.context = 2}, {.data = 2});
    const MeshLayout batchInside({.data = 2}, {.context = 2});
    const MeshLayout contextAcross({.context = 2}, {.context = 2});
    const MeshLayout weightsBetween({.context = 2}, {.fsdp = 2});
    const MeshLayout headsInside({.tensor = 2}, {.context = 2});
    for (const MeshLayout& layout : {batchBetween, batchInside, weightsBetween, headsInside}) {
        QVERIFY2(find(meshes, layout, "ulysses", 2) != nullptr, qPrintable(layoutText(layout)));
        QVERIFY2(find(meshes, layout, "tokamax_ring", 1) != nullptr, qPrintable(layoutText(layout)));
    }
    QVERIFY(find(meshes, contextAcross, "ulysses", 4) != nullptr);
    QVERIFY(find(meshes, contextAcross, "tokamax_ring", 1) != nullptr);
    QVERIFY(find(meshes, contextAcross, "ulysses_ring", 2) != nullptr);  // rings between the hosts
    for (const LegalMesh& mesh : meshes)
        QCOMPARE(mesh.layout.dcn().devices(), 2);
}

void LegalMeshesTest::equalsMoveTheLeastBetweenHostsFirst() {
    Project project = projectOn(4, "ulysses");
    const HostsFile file("alpha slots=2\nbeta slots=2\n");
    project.hosts = file.path();
    const std::vector<LegalMesh> meshes = meshesOf(plannedForecastOf(project));
    const LegalMesh* between = find(meshes, MeshLayout({.context = 2}, {.data = 2}), "ulysses", 2);
    const LegalMesh* inside = find(meshes, MeshLayout({.data = 2}, {.context = 2}), "ulysses", 2);
    QVERIFY(between != nullptr && inside != nullptr);
    QCOMPARE(between->bytesPerStep, inside->bytesPerStep);
    QVERIFY(between->bytesBetweenHosts < inside->bytesBetweenHosts);
    QVERIFY(between < inside);  // stands before it
}

void LegalMeshesTest::axesBetweenHostsAreSharedOutAnewWithoutAFileOfHosts() {
    Project project = projectOn(4, "ulysses");
    project.iciContextParallelism = 2;
    project.dcnDataParallelism = 2;
    project.dcnContextParallelism = 1;
    const std::vector<LegalMesh> meshes = meshesOf(plannedForecastOf(project));
    const LegalMesh* current = find(meshes, MeshLayout({.context = 2}, {.data = 2}), "ulysses", 2);
    QVERIFY(current != nullptr && current->isCurrent);
    QVERIFY(find(meshes, MeshLayout({.context = 2}, {.context = 2}), "ulysses", 4) != nullptr);
    QVERIFY(find(meshes, MeshLayout({.data = 2}, {.context = 2}), "ulysses", 2) != nullptr);
}

void LegalMeshesTest::aMeshThatLiesAlikeOnTheHostsIsTheCurrentOne() {
    Project project = projectOn(4, "ulysses");
    project.iciDataParallelism = 2;  // between the hosts, whose ranks are counted slowest
    const HostsFile file("alpha slots=2\nbeta slots=2\n");
    project.hosts = file.path();
    const ProjectForecast forecast = plannedForecastOf(project);
    QCOMPARE(forecast.plan->layout, MeshLayout({.data = 2, .context = 2}));
    const std::vector<LegalMesh> meshes = meshesOf(forecast);
    const LegalMesh* same = find(meshes, MeshLayout({.context = 2}, {.data = 2}), "ulysses", 2);
    QVERIFY(same != nullptr && same->isCurrent);
    QCOMPARE(std::ranges::count_if(meshes, &LegalMesh::isCurrent), 1);
}

void LegalMeshesTest::aMeshThatAHostsEndCutsIsNotOffered() {
    Project project = projectOn(6, "tokamax_ring");
    project.iciDataParallelism = 2;  // the second of three hosts has devices of both halves
    const HostsFile file("alpha\nbeta\ngamma\n");
    project.hosts = file.path();
    const std::vector<LegalMesh> meshes = meshesOf(plannedForecastOf(project));
    QCOMPARE(std::ranges::count_if(meshes, &LegalMesh::isCurrent), 0);
    QVERIFY(find(meshes, MeshLayout({.data = 2}, {.context = 3}), "tokamax_ring", 1) != nullptr);
}

void LegalMeshesTest::unlikeHostsAreCutWhereNoneEnds() {
    Project project = projectOn(6, "tokamax_ring");
    const HostsFile file("alpha slots=4\nbeta slots=2\n");
    project.hosts = file.path();
    const std::vector<LegalMesh> meshes = meshesOf(plannedForecastOf(project));
    QVERIFY(!meshes.empty());
    for (const LegalMesh& mesh : meshes)
        QCOMPARE(mesh.layout.ici().devices(), 2);
}

void LegalMeshesTest::manyDevicesOnSeveralHostsStayFew() {
    Project project = projectOn(64, "tokamax_ring");
    const HostsFile file("alpha slots=16\nbeta slots=16\ngamma slots=16\ndelta slots=16\n");
    project.hosts = file.path();
    const ProjectForecast forecast = plannedForecastOf(project);
    const std::vector<LegalMesh> meshes = meshesOf(forecast);
    constexpr std::size_t most = 400;
    QVERIFY2(meshes.size() <= most, qPrintable(QString::number(meshes.size())));
    QVERIFY(std::ranges::any_of(meshes, [](const LegalMesh& mesh) {
        return mesh.layout == MeshLayout({.context = 16}, {.data = 2, .context = 2});
    }));
    QBENCHMARK {
        QCOMPARE(meshesOf(forecast).size(), meshes.size());
    }
}

void LegalMeshesTest::modelIsSound() {
    LegalMeshModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setMeshes(meshesOf(plannedForecastOf(projectOn(4, "tokamax_ring"))));
    QVERIFY(model.rowCount() > 1);
    QVERIFY(!model.hasHosts());
    model.setMeshes({});
    QCOMPARE(model.rowCount(), 0);
}

namespace {

/// A panel that lists the meshes of a project.
struct ListedPanel {
    explicit ListedPanel(const Project& project) {
        document.adopt(project, {});
        document.undoStack().clear();
        panel.resize(1100, 600);
        panel.show();
        forecast();
    }

    void forecast() { panel.showForecast(makeForecast(document.project())); }
    [[nodiscard]] QTableView& table() const { return *panel.findChild<QTableView*>(); }
    [[nodiscard]] QPushButton& use() const {
        for (QPushButton* button : panel.findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Use this mesh"))
                return *button;
        qFatal("no button");
    }

    ProjectDocument document;
    TargetChoice target;
    MeshPanel panel{document, target};
};

}  // namespace

void LegalMeshesTest::rowsTellHowMuchLongerAStepTakes() {
    const AttentionMode* mode = findAttentionMode("ulysses");
    std::vector<LegalMesh> meshes;
    for (const double seconds : {720.0, 720.0, 723.0, 806.4, 1800.0})
        meshes.push_back({.layout = {},
                          .split = {},
                          .mode = mode,
                          .step = PredictedSeconds{.seconds = seconds, .low = seconds, .high = seconds},
                          .changes = {}});
    LegalMeshModel model;
    model.setMeshes(std::move(meshes));
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts += model.index(row, LegalMeshModel::Seconds).data().toString();
    QCOMPARE(texts, QStringList({QStringLiteral("12 min"), QStringLiteral("+0.0 %"), QStringLiteral("+0.4 %"),
                                 QStringLiteral("+12 %"), QStringLiteral("+150 %")}));
    QVERIFY(model.index(3, LegalMeshModel::Seconds).data(Qt::ToolTipRole).toString().contains(u"13 min"));
}

void LegalMeshesTest::meshAndWhatRanksItAreReadWhole_data() {
    QTest::addColumn<int>("devices");
    QTest::newRow("8") << 8;
    QTest::newRow("64") << 64;
}

void LegalMeshesTest::meshAndWhatRanksItAreReadWhole() {
    QFETCH(int, devices);
    ListedPanel listed(projectOn(devices, "tokamax_ring"));
    listed.panel.resize(808, 355);  // as in a window of 1280 x 800
    QTRY_VERIFY(listed.panel.legalMeshes().rowCount() > 0);
    const QTableView& table = listed.table();
    const QAbstractItemView& items = table;
    const QHeaderView& header = *table.horizontalHeader();
    QCOMPARE(header.visualIndex(LegalMeshModel::Mesh), 0);
    for (const int column : {LegalMeshModel::Mesh, LegalMeshModel::Exchange}) {
        QVERIFY(items.sizeHintForColumn(column) <= header.sectionSize(column));
        QTRY_VERIFY(header.sectionViewportPosition(column) + header.sectionSize(column) <=
                    table.viewport()->width());
    }
}

void LegalMeshesTest::listLeavesTheDrawingItsRoom() {
    Project project = projectOn(4, "ulysses");
    const HostsFile file("alpha slots=2\nbeta slots=2\n");
    project.hosts = file.path();
    ListedPanel listed(project);
    QTRY_VERIFY(listed.panel.legalMeshes().hasHosts());
    auto& split = *listed.panel.findChild<SideSplitter*>();
    listed.panel.resize(808, 355);
    QTRY_COMPARE(split.width(), listed.panel.width() - 2 * panelMargin);
    const int list = split.sizes().back();
    QVERIFY(split.sizes().front() >= 340);
    listed.panel.resize(1600, 700);
    QTRY_VERIFY(split.sizes().back() > list);
    QCOMPARE(split.sizes().back(), split.widget(1)->sizeHint().width());
    QTRY_COMPARE(listed.table().horizontalHeader()->length(), listed.table().viewport()->width());
    // Whoever moves the handle has the last word.
    QTest::mousePress(split.handle(1), Qt::LeftButton, {}, QPoint(1, 20));
    QTest::mouseMove(split.handle(1), QPoint(-199, 20));
    QTest::mouseRelease(split.handle(1), Qt::LeftButton, {}, QPoint(1, 20));
    const int moved = split.sizes().back();
    QVERIFY(moved > split.widget(1)->sizeHint().width());
    listed.panel.resize(1500, 700);
    QTRY_COMPARE(split.width(), 1500 - 2 * panelMargin);
    QCOMPARE(split.sizes().back(), moved);
}

void LegalMeshesTest::columnsOfHostsShowWithSeveralOnly() {
    Project project = projectOn(4, "ulysses");
    ListedPanel listed(project);
    const auto shows = [&](LegalMeshModel::Column column) { return !listed.table().isColumnHidden(column); };
    QTRY_VERIFY(listed.panel.legalMeshes().rowCount() > 0);
    QVERIFY(shows(LegalMeshModel::Mesh));
    QVERIFY(!shows(LegalMeshModel::HostAxes) && !shows(LegalMeshModel::HostExchange));
    const HostsFile file("alpha slots=2\nbeta slots=2\n");
    listed.document.setText(*findProjectKey("hosts"), QString::fromStdString(file.path()));
    listed.forecast();
    QTRY_VERIFY(shows(LegalMeshModel::HostAxes) && shows(LegalMeshModel::HostExchange));
    QTRY_COMPARE(listed.table().horizontalScrollBar()->maximum(), 0);  // all can be read
    const LegalMeshModel& model = listed.panel.legalMeshes();
    const LegalMesh& best = model.meshes().front();
    QCOMPARE(model.index(0, LegalMeshModel::HostAxes).data().toString(), meshText(best.layout.dcn()));
    for (int column = 0; column < LegalMeshModel::ColumnCount; ++column)
        QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
}

void LegalMeshesTest::usingAMeshSetsItsKeysAsOneStepOfUndoing() {
    Project before = projectOn(4, "ulysses");
    const HostsFile file("alpha slots=2\nbeta slots=2\n");
    before.hosts = file.path();
    ListedPanel listed(before);
    QTRY_VERIFY(listed.panel.legalMeshes().hasHosts());
    const std::vector<LegalMesh>& meshes = listed.panel.legalMeshes().meshes();
    const LegalMesh* wanted = find(meshes, MeshLayout({.context = 2}, {.data = 2}), "tokamax_ring", 1);
    QVERIFY(wanted != nullptr);
    listed.table().setCurrentIndex(
        listed.panel.legalMeshes().index(static_cast<int>(wanted - meshes.data()), LegalMeshModel::Mesh));
    QVERIFY(listed.use().isEnabled());
    listed.use().click();
    const Project& after = listed.document.project();
    QCOMPARE(after.attention, std::string("tokamax_ring"));
    QCOMPARE(after.iciContextParallelism, 2);
    QCOMPARE(after.iciDataParallelism, 1);
    QCOMPARE(after.dcnDataParallelism, 2);
    QCOMPARE(after.dcnContextParallelism, 1);
    QCOMPARE(listed.document.undoStack().count(), 1);
    QVERIFY2(listed.document.undoStack().undoText().contains(QLatin1String("between hosts data 2")),
             qPrintable(listed.document.undoStack().undoText()));
    listed.forecast();
    // What is drawn puts the halves of guidance on a host each.
    const MeshDrawing& drawing = listed.panel.view().drawing();
    QCOMPARE(drawing.blocks.size(), 2U);
    QCOMPARE(drawing.hosts.size(), 2U);
    for (std::size_t host = 0; host < drawing.hosts.size(); ++host)
        for (std::size_t block = 0; block < drawing.blocks.size(); ++block)
            QCOMPARE(drawing.hosts[host].intersects(drawing.blocks[block].frame), host == block);
    QTRY_VERIFY(std::ranges::any_of(listed.panel.legalMeshes().meshes(), [](const LegalMesh& mesh) {
        return mesh.isCurrent && mesh.layout == MeshLayout({.context = 2}, {.data = 2});
    }));
    listed.document.undoStack().undo();
    QCOMPARE(listed.document.project(), before);
}

void LegalMeshesTest::theListSaysItsOrderAndOffersToMeasure() {
    ListedPanel listed(projectOn(4, "ulysses"));
    QTRY_VERIFY(listed.panel.legalMeshes().rowCount() > 0);
    LegalMeshes& list = listed.panel.legalList();
    QVERIFY2(list.orderText().contains(QLatin1String("least traffic")), qPrintable(list.orderText()));
    QPushButton* measure = nullptr;
    for (QPushButton* button : list.findChildren<QPushButton*>())
        if (button->text().contains(QLatin1String("Measure")))
            measure = button;
    QVERIFY(measure != nullptr && measure->isVisible());
    QSignalSpy requested(&list, &LegalMeshes::measureRequested);
    measure->click();
    QCOMPARE(requested.count(), 1);
    list.setMeasuring(true);
    QVERIFY(!measure->isEnabled());
    list.setMeasuring(false);
    QVERIFY(measure->isEnabled());
}

MESHREEL_TEST_CLASS(LegalMeshesTest)
#include "legal_meshes_test.moc"
