// SPDX-License-Identifier: GPL-3.0-or-later
// What `meshreel validate`, `meshreel plan`, `meshreel run` and the Studio say of a broken project is one
// list.
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <filesystem>

#include "engine/base/files.h"
#include "engine/catalogue/model_library.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/target_hardware.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_record_reader.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"

using namespace meshreel;

namespace {

/// What is compared: never words.
struct Told {
    QString id;
    QString key;
    bool isError = false;
    qsizetype fixes = 0;

    [[nodiscard]] QString text() const {
        return QStringLiteral("%1 %2 at %3, fixes %4")
            .arg(isError ? QStringLiteral("error") : QStringLiteral("warning"), id, key)
            .arg(fixes);
    }
};

QStringList toLines(const QList<Told>& list) {
    QStringList lines;
    for (const Told& told : list)
        lines += told.text();
    return lines;
}

QList<Told> toldBy(const QJsonArray& problems) {
    QList<Told> list;
    for (const QJsonValue& value : problems) {
        const QJsonObject problem = value.toObject();
        list += {.id = problem[QStringLiteral("id")].toString(),
                 .key = problem[QStringLiteral("key")].toString(),
                 .isError = problem[QStringLiteral("severity")].toString() == QLatin1String("error"),
                 .fixes = problem[QStringLiteral("fixes")].toArray().size()};
    }
    return list;
}

QList<Told> toldBy(const std::vector<Diagnosis>& diagnoses) {
    QList<Told> list;
    for (const Diagnosis& diagnosis : diagnoses)
        list += {.id = QString::fromUtf8(diagnosis.problem.id.name()),
                 .key = QString::fromStdString(diagnosis.problem.key),
                 .isError = diagnosis.problem.severity == Severity::Error,
                 .fixes = static_cast<qsizetype>(diagnosis.fixes.size())};
    return list;
}

struct Printed {
    QByteArray out;
    QByteArray err;
    int exitCode = -1;
};

Printed meshreelSays(const QStringList& arguments) {
    QProcess process;
    process.start(QCoreApplication::applicationDirPath() + QStringLiteral("/meshreel"), arguments);
    constexpr int most = 60'000;
    if (!process.waitForFinished(most))
        return {};
    return {process.readAllStandardOutput(), process.readAllStandardError(), process.exitCode()};
}

}  // namespace

class OneListTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void everybodyTellsTheSame_data();
    void everybodyTellsTheSame();

  private:
    [[nodiscard]] QList<Told> toldByStudio(const QString& file, const QString& hardware);
    [[nodiscard]] QString path(const char* name) const {
        return m_folder->filePath(QString::fromLatin1(name));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void OneListTest::init() {
    namespace fs = std::filesystem;
    m_folder = std::make_unique<QTemporaryDir>();
    writeFileAtomically(path("text.png").toStdString(), "this is no picture");
    writeFileAtomically(path("text.safetensors").toStdString(), "this is no adapter");
    const fs::path damaged = path("damaged").toStdString();
    fs::copy(findModel("tiny-wan-t2v"), damaged, fs::copy_options::recursive);
    fs::remove(damaged / "transformer" / "diffusion_pytorch_model.safetensors");
    fs::copy_file(PICTURE, path("picture.png").toStdString());
}

/// As Problems lists it, with what `Plan for` says.
QList<Told> OneListTest::toldByStudio(const QString& file, const QString& hardware) {
    ProjectDocument document;
    document.load(file.toStdString());
    PlanWatch watch(document);
    watch.setBasis(std::make_shared<const PredictionBasis>(readPredictionBasis(runsFolder())));
    if (!hardware.isEmpty())
        watch.setTarget(std::make_shared<const TargetHardware>(readTargetHardware(hardware.toStdString())));
    if (!watch.settle(std::chrono::minutes(1)))
        return {};
    const ProjectForecast& forecast = watch.forecast();
    return toldBy(diagnose(document, forecast.problems, forecast.model.get()));
}

void OneListTest::everybodyTellsTheSame_data() {
    QTest::addColumn<QByteArray>("yaml");
    QTest::addColumn<QString>("id");  // one of the list
    const auto add = [](const char* name, const char* id, const QByteArray& yaml) {
        QTest::newRow(name) << yaml << QString::fromLatin1(id);
    };
    const QByteArray prompt = "prompt: a red ball\n";
    add("wrong type", "not-a-number", prompt + "num_frames: abc\n");
    add("unknown key", "key-is-unknown", prompt + "no_such_key: 1\n");
    add("value out of range", "value-above-most", prompt + "width: 5000\n");
    add("value off its grid", "value-off-grid", prompt + "width: 70\n");
    add("unknown choice", "choice-unknown", prompt + "attention: ulyses\n");
    add("illegal split", "ulysses-shards-do-not-divide",
        prompt + "devices: 4\nattention: ulysses_ring\nulysses_shards: 3\n");
    add("heads that the mesh does not divide", "heads-do-not-divide-by-tensor",
        prompt + "ici_tensor_parallelism: 5\ndevices: 5\n");
    add("task that the model does not do", "task-not-offered", prompt + "image: picture.png\n");
    add("input that the task needs", "task-input-missing",
        prompt + "pretrained_model_name_or_path: tiny-wan-i2v\n");
    add("missing model", "model-unusable", prompt + "pretrained_model_name_or_path: nowhere\n");
    add("missing model and a wrong value", "model-unusable",
        "pretrained_model_name_or_path: nowhere\n" + prompt + "width: 70\n");
    add("released model that is not here", "model-unusable",
        prompt + "pretrained_model_name_or_path: Wan-AI/Wan2.1-T2V-1.3B-Diffusers\n");
    add("damaged model", "model-unusable", prompt + "pretrained_model_name_or_path: ./damaged\n");
    add("missing adapter", "adapter-unusable", prompt + "lora: ./gone.safetensors\n");
    add("unreadable adapter", "adapter-unusable", prompt + "lora: ./text.safetensors\n");
    add("missing input", "input-missing",
        prompt + "pretrained_model_name_or_path: tiny-wan-i2v\nimage: gone.png\n");
    add("unreadable input", "input-unusable",
        prompt + "pretrained_model_name_or_path: tiny-wan-i2v\nimage: text.png\n");
    add("missing hosts", "hosts-unreadable", prompt + "hosts: nowhere.txt\n");
    add("more devices than the CPUs carry", "", prompt + "devices: 512\nattention: ring\n");
    add("too little memory", "memory-short", prompt + "memory_budget: 0.001\n");
    add("GPU that is not here", "gpu-not-here", prompt + "gpus: 63\n");
    add("kernel that no GPU computes", "", prompt + "gpus: 0\nattention: ulysses_ring_custom_bidir\n");
    add("prompt that is cut", "prompt-cut", "prompt: " + QByteArray("a red ball ").repeated(200) + "\n");
    add("more workers than CPUs", "cpus-oversubscribed", prompt + "workers: 1000\n");
    add("text behind a mark", "comment-behind-text", "prompt: a red ball #1\n");
    add("two errors behind a warning", "value-off-grid",
        "prompt: a {red|blue} ball\nwidth: 70\nnum_frames: 16\n");
    add("empty prompt and an input that is missing", "prompt-empty",
        "pretrained_model_name_or_path: tiny-wan-i2v\nimage: gone.png\n");
    add("alternatives", "prompt-has-variants", "prompt: a {red|blue} ball\n");
    add("no YAML", "yaml-malformed", prompt + "width: [32\n");
    add("keys without meaning here", "keys-ignored", prompt + "jax_cache_dir: /tmp/jax\n");
    add("step cache that the model does not have", "", prompt + "use_teacache: true\n");
    add("mesh with a long ring", "", prompt + "devices: 8\nattention: ring\n");
}

void OneListTest::everybodyTellsTheSame() {
    QFETCH(QByteArray, yaml);
    QFETCH(QString, id);
    const QString file = path("project.yaml");
    const QByteArray rest = yaml.contains("gpus:") ? "" : "gpus: none\n";
    writeFileAtomically(file.toStdString(),
                        ("version: 3\nheight: 32\nnum_inference_steps: 2\n" + rest + yaml).toStdString());

    const QStringList trusted{file, QStringLiteral("--trust")};
    const QStringList json{QStringLiteral("--json")};
    const QStringList onTarget{QStringLiteral("--hardware"), QStringLiteral("tpu-v7x")};

    // For other hardware: the same list, of which this machine's limits keep nobody from planning.
    const Printed foreseen =
        meshreelSays(QStringList{QStringLiteral("validate")} + json + trusted + onTarget);
    const QJsonObject there = QJsonDocument::fromJson(foreseen.out).array().first().toObject();
    const QList<Told> forTarget = toldBy(there[QLatin1String("problems")].toArray());
    QCOMPARE(toLines(toldByStudio(file, QStringLiteral("tpu-v7x"))), toLines(forTarget));
    const bool isObstructed = std::ranges::any_of(forTarget, [](const Told& told) {
        static const QStringList limits{QStringLiteral("memory-short"), QStringLiteral("disk-short"),
                                        QStringLiteral("devices-too-many"), QStringLiteral("gpu-not-here")};
        return told.isError && !limits.contains(told.id);
    });
    QCOMPARE(there[QLatin1String("good")].toBool(), !isObstructed);
    QCOMPARE(foreseen.exitCode != 0, isObstructed);

    const Printed validated = meshreelSays(QStringList{QStringLiteral("validate")} + json + trusted);
    const QJsonArray files = QJsonDocument::fromJson(validated.out).array();
    QVERIFY2(files.size() == 1, validated.err.constData());
    const QList<Told> validate = toldBy(files.first()[QLatin1String("problems")].toArray());
    QCOMPARE(toLines(toldByStudio(file, {})), toLines(validate));
    QVERIFY2(id.isEmpty() || std::ranges::find(validate, id, &Told::id) != validate.end(),
             qPrintable(toLines(validate).join(QLatin1Char('\n'))));
    for (const Told& told : validate)
        if (told.isError)
            QVERIFY2(toLines(forTarget).contains(told.text()), "another plan hides nothing of this machine");

    const Printed planned = meshreelSays(QStringList{QStringLiteral("plan")} + json + trusted);
    const QJsonObject plan = QJsonDocument::fromJson(planned.out).object();
    QCOMPARE(toLines(toldBy(plan[QLatin1String("problems")].toArray())), toLines(validate));
    const Printed plannedThere =
        meshreelSays(QStringList{QStringLiteral("plan")} + json + trusted + onTarget);
    QCOMPARE(plannedThere.exitCode != 0, isObstructed);
    const QJsonObject planThere = QJsonDocument::fromJson(plannedThere.out).object();
    QCOMPARE(toLines(toldBy(planThere[QLatin1String("problems")].toArray())), toLines(forTarget));

    const bool hasErrors = std::ranges::any_of(validate, &Told::isError);
    QCOMPARE(files.first()[QLatin1String("good")].toBool(), !hasErrors);
    QCOMPARE(validated.exitCode != 0, hasErrors);
    QCOMPARE(planned.exitCode != 0, hasErrors);
    if (!hasErrors)
        return;
    const QByteArray printed = meshreelSays(QStringList{QStringLiteral("validate")} + trusted).err;
    QCOMPARE(planned.err, printed);
    const Printed run =
        meshreelSays(QStringList{QStringLiteral("run"), QStringLiteral("--json-events")} + trusted);
    QCOMPARE(run.err, printed);
    QCOMPARE(run.exitCode, planned.exitCode);
    const QList<QByteArray> events = run.out.trimmed().split('\n');
    QCOMPARE(events.size(), 2);  // the list, and that the run failed
    const QJsonObject listed = QJsonDocument::fromJson(events.first()).object();
    QCOMPARE(listed[QLatin1String("event")].toString(), QStringLiteral("problems"));
    QCOMPARE(toLines(toldBy(listed[QLatin1String("problems")].toArray())), toLines(validate));
}

MESHREEL_TEST_CLASS(OneListTest)
#include "one_list_test.moc"
