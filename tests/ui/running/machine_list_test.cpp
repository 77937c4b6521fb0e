// SPDX-License-Identifier: GPL-3.0-or-later
// What of this machine can compute, and which GPUs a project uses.
#include <QCheckBox>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QToolButton>
#include <QTreeWidget>
#include <atomic>

#include "engine/base/error.h"
#include "engine/estimates/placement.h"
#include "tests/support/charts/test_classes.h"
#include "ui/running/devices_panel.h"

using namespace meshreel;

namespace {

/// A card, a software driver, a GPU that cannot be used, and a driver that fails.
MachineDevices fullMachine() {
    GpuFacts card{.id = "1",
                  .name = "A card",
                  .kind = GpuKind::Discrete,
                  .driver = "vendor 1.2",
                  .vulkan = "1.3.200",
                  .memoryTotal = 16e9,
                  .memoryFree = 12e9};
    card.forms = {{.name = "scalar",
                   .offered = true,
                   .taken = true,
                   .why = sentence("in bf16 another is faster"),
                   .rate = 2e12},
                  {.name = "khr_bf16", .offered = true, .taken = true, .rate = 7e12},
                  {.name = "int8", .why = sentence("the driver does not offer it")},
                  {.name = "int8_dot", .offered = true, .taken = true, .rate = 9e12}};
    const GpuFacts software{.id = "2", .name = "llvmpipe", .kind = GpuKind::Software, .memoryTotal = 8e9};
    const GpuFacts old{.id = "3",
                       .name = "An old card",
                       .kind = GpuKind::Discrete,
                       .memoryTotal = 1e9,
                       .missing = sentence("its driver is older than Vulkan 1.2")};
    return {.cpu = "A CPU",
            .isa = "avx2",
            .memoryFree = 4'000'000'000,
            .rate = 1e12,
            .drivers = {{.manifest = "/card.json", .gpus = {card}},
                        {.manifest = "/software.json", .gpus = {software, old}},
                        {.manifest = "/broken.json",
                         .state = DriverState::Failed,
                         .why = sentence("it does not answer")}}};
}

/// What stands in the list, a line each.
QStringList lines(const MachineList& list) {
    QStringList all;
    for (QTreeWidgetItemIterator item(&list.tree()); *item != nullptr; ++item)
        all += QStringList{(*item)->text(0), (*item)->text(1), (*item)->text(2)}.join(QLatin1Char('|'));
    return all;
}

bool tells(const MachineList& list, const char* words) {
    const bool found = lines(list).join(QLatin1Char('\n')).contains(QLatin1String(words));
    if (!found)
        qWarning("%s is not in:\n%s", words, qPrintable(lines(list).join(QLatin1Char('\n'))));
    return found;
}

}  // namespace

class MachineListTest : public QObject {
    Q_OBJECT

  private slots:
    void devicesAreAskedBesideTheWindow();
    void everyDeviceSaysWhatItIs();
    void aMachineWithoutGpuSaysWhy();
    void aFailureIsTold();
    void ticksAreTheProjectsGpus();
    void automaticFollowsThePlan();
    void thePlanIsInWords();
};

void MachineListTest::devicesAreAskedBesideTheWindow() {
    std::atomic<QThread*> asker{nullptr};
    std::atomic<int> again{-1};
    MachineList list([&](bool anew) {
        asker = QThread::currentThread();
        again = anew ? 1 : 0;
        return MachineDevices{.cpu = "A CPU", .isa = "avx2", .memoryFree = 1, .rate = {}, .drivers = {}};
    });
    QCOMPARE(again.load(), -1);  // not before somebody looks
    list.show();
    QTRY_COMPARE(list.tree().topLevelItemCount(), 2);
    QCOMPARE(again.load(), 0);
    QVERIFY(asker.load() != QThread::currentThread());
    list.askAgain().click();
    QTRY_COMPARE(again.load(), 1);
    QTRY_VERIFY(list.askAgain().isEnabled());
}

void MachineListTest::everyDeviceSaysWhatItIs() {
    MachineList list([](bool) { return fullMachine(); });
    list.show();
    QTRY_COMPARE(list.tree().topLevelItemCount(), 5);
    QVERIFY(tells(list, "CPU: A CPU (avx2)|3.7 GiB free|1 TFLOP/s"));
    QVERIFY(tells(list, "GPU 0: A card|11.2 GiB of 14.9 GiB free|7 TFLOP/s"));
    QVERIFY(tells(list, "vendor 1.2, Vulkan 1.3.200"));
    QVERIFY(tells(list, "scalar: taken, 2 TFLOP/s; in bf16 another is faster"));
    QVERIFY(tells(list, "khr_bf16: taken, 7 TFLOP/s"));
    QVERIFY(tells(list, "int8: not taken; the driver does not offer it"));
    QVERIFY(tells(list, "int8_dot: taken, 9 TOP/s"));
    QVERIFY(tells(list, "GPU 1: llvmpipe|7.5 GiB|not measured"));
    QVERIFY(tells(list, "never taken by Automatic"));
    QVERIFY(tells(list, "It cannot be used: its driver is older than Vulkan 1.2"));
    QVERIFY(tells(list, "/broken.json: it does not answer"));
}

void MachineListTest::aMachineWithoutGpuSaysWhy() {
    MachineList list([](bool) {
        return MachineDevices{.cpu = "A CPU", .isa = "avx2", .memoryFree = 1, .rate = {}, .drivers = {}};
    });
    list.show();
    QTRY_VERIFY(list.tree().topLevelItemCount() == 2);
    QVERIFY(tells(list, "CPU: A CPU (avx2)|1 bytes free|not measured"));
    QVERIFY(tells(list, "No GPU: no Vulkan driver is installed"));
}

void MachineListTest::aFailureIsTold() {
    MachineList list([](bool) -> MachineDevices {
        throw Error(ErrorKind::Input, sentence("the program cannot be started"), {},
                    sentence("Install it again"));
    });
    list.show();
    QTRY_VERIFY(list.askAgain().isEnabled());
    QVERIFY(tells(list, "the program cannot be started"));
    QVERIFY(tells(list, "Install it again"));
}

void MachineListTest::ticksAreTheProjectsGpus() {
    MachineList list([](bool) { return fullMachine(); });
    QSignalSpy chosen(&list, &MachineList::gpusChosen);
    list.showChoice({.numbers = {0, 1}});
    list.show();
    QTRY_COMPARE(list.tree().topLevelItemCount(), 5);
    const auto gpu = [&](int number) { return list.tree().topLevelItem(1 + number); };
    const auto lastChosen = [&] { return chosen.takeLast().constFirst().toString(); };
    QVERIFY(!list.automatic().isChecked());
    QCOMPARE(gpu(0)->checkState(0), Qt::Checked);
    QCOMPARE(gpu(1)->checkState(0), Qt::Checked);
    QVERIFY(!gpu(2)->flags().testFlag(Qt::ItemIsUserCheckable));  // cannot be used
    QVERIFY(chosen.isEmpty());
    gpu(0)->setCheckState(0, Qt::Unchecked);
    QCOMPARE(lastChosen(), QStringLiteral("1"));
    list.showChoice({.numbers = {1}});
    gpu(0)->setCheckState(0, Qt::Checked);
    QCOMPARE(lastChosen(), QStringLiteral("1,0"));
    list.showChoice({.numbers = {1, 1}});  // two devices on one GPU
    QVERIFY(gpu(1)->toolTip(0).contains(QLatin1Char('2')));
    gpu(1)->setCheckState(0, Qt::Unchecked);
    QCOMPARE(lastChosen(), QStringLiteral("none"));
    QVERIFY(chosen.isEmpty());
}

void MachineListTest::automaticFollowsThePlan() {
    MachineList list([](bool) { return fullMachine(); });
    QSignalSpy chosen(&list, &MachineList::gpusChosen);
    list.showChoice(GpuChoice::none());
    list.show();
    QTRY_COMPARE(list.tree().topLevelItemCount(), 5);
    list.automatic().click();
    QCOMPARE(chosen.takeLast().constFirst().toString(), QStringLiteral("auto"));
    const Placement placement{.gpus = {{.number = 0, .facts = {.name = "A card"}}}};
    list.showChoice(GpuChoice::anyReal());
    list.showPlacement(&placement);
    QVERIFY(list.automatic().isChecked());
    QCOMPARE(list.tree().topLevelItem(1)->checkState(0), Qt::Checked);
    QCOMPARE(list.tree().topLevelItem(2)->checkState(0), Qt::Unchecked);
    list.automatic().click();
    QCOMPARE(chosen.takeLast().constFirst().toString(), QStringLiteral("0"));  // what it took
}

void MachineListTest::thePlanIsInWords() {
    MachineList list([](bool) { return fullMachine(); });
    QVERIFY(list.words().isEmpty());
    const auto placed = [](std::vector<ChosenGpu> gpus, PartPlan transformer, PartPlan vae,
                           PartPlan encoder) {
        vae.part = PlacedPart::VaeDecoder;
        encoder.part = PlacedPart::TextEncoder;
        return Placement{.gpus = std::move(gpus), .parts = {transformer, vae, encoder}};
    };
    const auto onCpu = [](Sentence why) { return PartPlan{.passedOver = {{.why = std::move(why)}}}; };
    const PartPlan onGpu{.place = PartPlace::EveryGpu};
    const std::vector<ChosenGpu> card{{.number = 2, .facts = {.name = "A card"}}};

    const Sentence none = sentence("no Vulkan driver is installed");
    const Placement cpu = placed({}, onCpu(none), onCpu(none), onCpu(none));
    list.showPlacement(&cpu);
    QCOMPARE(list.words(), QStringLiteral("The CPU computes this project: no Vulkan driver is installed."));
    const Placement gpu = placed(card, onGpu, onGpu, onGpu);
    list.showPlacement(&gpu);
    QCOMPARE(list.words(), QStringLiteral("Transformer, VAE and encoders are computed by A card (GPU 2)."));
    const Placement withoutEncoders = placed(card, onGpu, onGpu, onCpu(sentence("they do not fit")));
    list.showPlacement(&withoutEncoders);
    QCOMPARE(list.words(), QStringLiteral("Transformer and VAE are computed by A card (GPU 2). "
                                          "The CPU computes the text and image encoders: they do not fit."));
    const Placement withoutVae = placed(card, onGpu, onCpu(sentence("it does not fit")), onGpu);
    list.showPlacement(&withoutVae);
    QCOMPARE(
        list.words(),
        QStringLiteral("The transformer is computed by A card (GPU 2), the VAE by the CPU: it does not fit. "
                       "The GPU computes the text and image encoders."));
    Placement apart = gpu;
    PartPlan images = onCpu(sentence("its heads do not fit"));
    images.part = PlacedPart::ImageEncoder;
    PartPlan frames = onCpu(sentence("it does not fit"));
    frames.part = PlacedPart::VaeEncoder;
    apart.parts.insert(apart.parts.end(), {images, frames});
    apart.gpusLeft = {{.why = sentence("{} is slower", "Another card")}};
    list.showPlacement(&apart);
    QCOMPARE(list.words(), QStringLiteral("Transformer, VAE and encoders are computed by A card (GPU 2). "
                                          "VAE encoder on the CPU: it does not fit. "
                                          "Image encoder on the CPU: its heads do not fit. "
                                          "Not taken: Another card is slower."));
    Placement onlyTransformer = withoutEncoders;
    onlyTransformer.parts.push_back(images);
    list.showPlacement(&onlyTransformer);
    QCOMPARE(list.words(), QStringLiteral("Transformer and VAE are computed by A card (GPU 2). "
                                          "The CPU computes the text and image encoders: they do not fit. "
                                          "Image encoder on the CPU: its heads do not fit."));
    list.showPlacement(nullptr);
    QVERIFY(list.words().isEmpty());
}

MESHREEL_TEST_CLASS(MachineListTest)
#include "machine_list_test.moc"
