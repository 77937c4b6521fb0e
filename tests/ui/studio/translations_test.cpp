// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModel>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLocale>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <QXmlStreamReader>
#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/error.h"
#include "engine/checks/project_check.h"
#include "engine/checks/step_cache_check.h"
#include "engine/checks/task_choice.h"
#include "engine/estimates/run_work.h"
#include "engine/launch/rank_report.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/rank_watch.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_plan.h"
#include "engine/project/presets.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/consequences.h"
#include "ui/project/plan_watch.h"
#include "ui/settings/key_row.h"
#include "ui/studies/tune_panel.h"
#include "ui/values/engine_texts.h"
#include "ui/window/application.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_menu.h"
#include "ui/window/main_window.h"

using namespace meshreel;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What stands in the translation element that `xml` is at: one text, or one for each plural form.
QStringList toTexts(QXmlStreamReader& xml, bool plural) {
    if (!plural)
        return {xml.readElementText()};
    QStringList forms;
    while (xml.readNextStartElement())
        forms.append(xml.readElementText());
    return forms;
}

/// Whether every part of an engine's sentence has its place: in the source's order, or each by its number.
bool fillsLike(const QString& translation, const QString& source) {
    const std::string translated = translation.toStdString();
    std::vector<std::string_view> fields = replacementFields(translated);
    if (fields.size() != replacementFields(source.toStdString()).size())
        return false;
    std::ranges::sort(fields);
    const auto isNumbered = [](std::string_view field) { return field[1] >= '0' && field[1] <= '9'; };
    return std::ranges::none_of(fields, isNumbered) ||
           (std::ranges::all_of(fields, isNumbered) && std::ranges::adjacent_find(fields) == fields.end());
}

/// Whether a translation says something, with the source's placeholders and as many access keys. %n may be
/// left out, as a form for one thing names it in words.
bool fits(const QString& translation, const QString& source) {
    for (int place = 1; place <= 9; ++place) {
        const QString mark = QLatin1Char('%') + QString::number(place);
        if (source.contains(mark) != translation.contains(mark))
            return false;
    }
    if (!fillsLike(translation, source))
        return false;
    static const QRegularExpression accessKey(QStringLiteral("&\\w(?!\\w*;)"));
    return !translation.isEmpty() && source.count(accessKey) == translation.count(accessKey);
}

/// Every message without a finished translation that fits.
QStringList faultsOf(const QByteArray& catalogue) {
    QStringList faults;
    QXmlStreamReader xml(catalogue);
    QString source;
    bool plural = false;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == QLatin1String("message")) {
            plural = xml.attributes().hasAttribute(QLatin1String("numerus"));
        } else if (xml.name() == QLatin1String("source")) {
            source = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            const bool finished = !xml.attributes().hasAttribute(QLatin1String("type"));
            const QStringList texts = toTexts(xml, plural);
            const bool allFit = !texts.isEmpty() && std::ranges::all_of(texts, [&](const QString& text) {
                return fits(text, source);
            });
            if (!finished || !allFit)
                faults.append(source);
        }
    }
    if (xml.hasError())
        faults.append(xml.errorString());
    return faults;
}

/// Notes every word of the engine that is asked for, and translates none.
class EngineWords : public QTranslator {
  public:
    QString translate(const char* context, const char* source, const char* /*disambiguation*/,
                      int /*count*/) const override {
        if (QLatin1String(context) == QLatin1String("Engine"))
            m_asked.insert(QString::fromUtf8(source));
        return {};
    }
    [[nodiscard]] bool isEmpty() const override { return false; }
    [[nodiscard]] const QSet<QString>& asked() const { return m_asked; }

  private:
    mutable QSet<QString> m_asked;
};

/// What stands in lines of `QT_TRANSLATE_NOOP("Engine", "…")`.
QSet<QString> listedWords(const QByteArray& lines) {
    QSet<QString> words;
    std::istringstream text(lines.toStdString());
    for (std::string line; std::getline(text, line);) {
        const std::size_t comma = line.find(", ");
        std::istringstream quoted(comma == std::string::npos ? std::string() : line.substr(comma + 2));
        std::string word;
        if (quoted >> std::quoted(word))
            words.insert(QString::fromStdString(word));
    }
    return words;
}

/// Has every cell and every tool tip of the model made.
void readAll(const QAbstractItemModel& model) {
    for (int row = 0; row < model.rowCount(); ++row)
        for (int column = 0; column < model.columnCount(); ++column)
            for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
                static_cast<void>(model.index(row, column).data(role));
}

/// On a mesh that exchanges something for every purpose there is.
PlanPtr planOfEveryPurpose() {
    Project project;
    project.prompt = "a red ball";
    project.attention = "ulysses";
    project.devices = 8;
    project.iciFsdpParallelism = 2;
    project.iciContextParallelism = 2;
    project.iciTensorParallelism = 2;
    return makePlan(project);
}

}  // namespace

class TranslationsTest : public QObject {
    Q_OBJECT

  private slots:
    void shownEngineStringsAreListed();
    void nothingSpeaksOfTheCommandLine();
    void everyStringIsTranslated_data();
    void everyStringIsTranslated();
    void applicationSpeaksTheLanguage_data();
    void applicationSpeaksTheLanguage();
    void numbersGoWithTheWords();
    void sentencesOfTheEngineAreTranslatedWithTheirParts();
    void titlesInsideSentencesAreTranslated();
    void whyARunOfAnotherProcessFailedIsTranslated();
    void whyNoBlockSizesRanIsTranslated();
    void presetsAreDescribedInTheLanguage();
    void keysAreExplainedInTheLanguage();
};

void TranslationsTest::shownEngineStringsAreListed() {
    QSettings().clear();
    EngineWords words;
    QVERIFY(qApp->installTranslator(&words));
    MainWindow window;
    QSignalSpy forecast(&window.planWatch(), &PlanWatch::forecastChanged);
    window.show();
    QVERIFY(!forecast.isEmpty() || forecast.wait());
    for (const QDockWidget* panel : window.docks().findChildren<QDockWidget*>())
        window.docks().showPanel(panel->widget());
    for (const QAbstractItemModel* model : window.findChildren<QAbstractItemModel*>())
        readAll(*model);
    emit window.findChild<PresetMenu*>()->aboutToShow();
    const PlanPtr plan = planOfEveryPurpose();
    QCOMPARE(trafficPerStep(*plan).size(), trafficPurposes().size());
    static_cast<void>(listConsequences(*plan));
    qApp->removeTranslator(&words);

    QSet<QString> missing = words.asked();
    QVERIFY(missing.contains(QStringLiteral("For short sequences, and to check the others against.")));
    QVERIFY(missing.contains(QStringLiteral("gathered weights")));
    QVERIFY(missing.contains(QStringLiteral("Wan 2.1 text-to-video 14B, distilled to 4 steps.")));
    QVERIFY(missing.contains(QStringLiteral("Keys of a project file")));
    missing.subtract(listedWords(contentOf(QStringLiteral(ENGINE_STRINGS))));
    missing.remove(QString());
    QVERIFY2(missing.isEmpty(), qPrintable(missing.values().join(QLatin1String(" | "))));
}

void TranslationsTest::nothingSpeaksOfTheCommandLine() {
    // What only commands of the runner say.
    const QSet<QString> ofTheRunner{
        QStringLiteral("A --set value is not UTF-8"),
        QStringLiteral("On the command line, `--set key=value` overrides the file: `--set "
                       "flash_block_sizes.block_q=256`."),
        QStringLiteral("Choose another with --out"),
        QStringLiteral("Choose another with --out, or delete it"),
        QStringLiteral(
            "Give what meshreel bench --json printed, or a file that meshreel bench --append wrote"),
        QStringLiteral("This is not a measurement of meshreel bench"),
        QStringLiteral("A line of this file is no measurement of meshreel bench"),
        QStringLiteral("Draw one with meshreel bench --roofline"),
        QStringLiteral("Choose fewer --layers, --sparse or another disk"),
        QStringLiteral("Use --layout diffusers, which keeps the names"),
        QStringLiteral("Write its video otherwise with meshreel decode and the same --set"),
        QStringLiteral("meshreel sweep FILE --list prints the cells"),
        QStringLiteral("Install Meshreel at the same path there, or let --broadcast-program send it"),
    };
    const QRegularExpression commands(QStringLiteral("\\bmeshreel [a-z]|(^|[\\s(`])--[a-z]"));
    const QSet<QString> listed = listedWords(contentOf(QStringLiteral(ENGINE_STRINGS)));
    QVERIFY2(listed.contains(ofTheRunner), "each of them is still said");
    int asked = 0;
    for (const QString& words : listed) {
        if (ofTheRunner.contains(words) || !words.contains(commands))
            continue;
        ++asked;
        const std::string pattern = words.toStdString();
        const QString shown = sentenceText(Sentence(pattern, pattern, {}));
        QVERIFY2(!shown.contains(commands) || shown.contains(QLatin1String("in a terminal")),
                 qPrintable(shown));
    }
    QVERIFY2(asked > 20, "the sentences are found");
    const Problem step{.place = {.file = "--step"}, .message = "no multiple of 16"};
    QCOMPARE(wholeText(step), QStringLiteral("no multiple of 16"));
}

void TranslationsTest::everyStringIsTranslated_data() {
    QTest::addColumn<QString>("catalogue");
    QTest::addColumn<QStringList>("options");
    QTest::newRow("en") << QStringLiteral("meshreel_en.ts") << QStringList{QStringLiteral("-pluralonly")};
    for (const QString& language : QStringLiteral(LANGUAGES).split(QLatin1Char('|')))
        QTest::newRow(qPrintable(language))
            << QStringLiteral("meshreel_%1.ts").arg(language) << QStringList();
}

void TranslationsTest::everyStringIsTranslated() {
    QFETCH(QString, catalogue);
    QFETCH(QStringList, options);
    QTemporaryDir folder;
    const QString copy = folder.filePath(catalogue);
    QVERIFY(QFile::copy(QStringLiteral(TRANSLATIONS "/") + catalogue, copy));
    QProcess lupdate;
    lupdate.start(QStringLiteral(LUPDATE), QStringLiteral(LUPDATE_ARGUMENTS).split(QLatin1Char('|'))
                                               << options << QStringLiteral("-ts") << copy);
    QVERIFY(lupdate.waitForFinished());
    QCOMPARE(lupdate.exitCode(), 0);
    QCOMPARE(faultsOf(contentOf(copy)), QStringList());
}

void TranslationsTest::applicationSpeaksTheLanguage_data() {
    QTest::addColumn<QLocale>("locale");
    QTest::addColumn<QString>("done");
    QTest::addColumn<QString>("height");
    QTest::newRow("German") << QLocale(QStringLiteral("de_DE")) << QStringLiteral("Fertig")
                            << QStringLiteral("Höhe");
    QTest::newRow("French") << QLocale(QStringLiteral("fr_FR")) << QStringLiteral("Terminée")
                            << QStringLiteral("Hauteur");
    QTest::newRow("Japanese") << QLocale(QStringLiteral("ja_JP")) << QStringLiteral("完了")
                              << QStringLiteral("高さ");
    QTest::newRow("Chinese") << QLocale(QStringLiteral("zh_CN")) << QStringLiteral("已完成")
                             << QStringLiteral("高度");
}

void TranslationsTest::applicationSpeaksTheLanguage() {
    QFETCH(QLocale, locale);
    QFETCH(QString, done);
    QFETCH(QString, height);
    installTranslations(*qApp, locale);
    QCOMPARE(statusTitle(RunStatus::Done), done);
    QCOMPARE(engineText("Height"), height);
}

void TranslationsTest::numbersGoWithTheWords() {
    for (const char* untranslated : {"ar_EG", "fa_IR", "pl_PL", "he_IL"}) {
        const QLocale spoken = installTranslations(*qApp, QLocale(QString::fromLatin1(untranslated)));
        QCOMPARE(spoken.language(), QLocale::English);
        QCOMPARE(spoken.toString(48.5), QStringLiteral("48.5"));
        QCOMPARE(QGuiApplication::layoutDirection(), Qt::LeftToRight);
    }
    QCOMPARE(installTranslations(*qApp, QLocale::c()).language(), QLocale::English);
    const QLocale austrian(QStringLiteral("de_AT"));
    QCOMPARE(installTranslations(*qApp, austrian), austrian);
}

void TranslationsTest::sentencesOfTheEngineAreTranslatedWithTheirParts() {
    installTranslations(*qApp, QLocale(QStringLiteral("de")));
    Project project;
    const std::optional<Problem> problem =
        trySetFromText(project, *findProjectKey("num_inference_steps"), "0");
    QVERIFY(problem.has_value());
    QCOMPARE(sentenceText(problem->message),
             QStringLiteral("num_inference_steps ist 0, weniger als der kleinste zulässige Wert"));
    QCOMPARE(sentenceText(std::string("{not a pattern}")), QStringLiteral("{not a pattern}"));
}

void TranslationsTest::titlesInsideSentencesAreTranslated() {
    installTranslations(*qApp, QLocale(QStringLiteral("de")));
    ModelFacts model;
    model.family = familyOfArchitecture("wan2.1-i2v");
    Project project;
    project.task = "t2v";
    const TaskChoice choice = chooseTask(project, *model.family);
    QCOMPARE(choice.problems.size(), std::size_t{1});
    QCOMPARE(sentenceText(choice.problems[0].message),
             QStringLiteral("Das Modell (Wan 2.1 Bild zu Video) beherrscht t2v nicht (Text zu Video)"));
    project.useCfgCache = true;
    const std::vector<Problem> problems = stepCacheProblems(project, model);
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(sentenceText(problems[0].message),
             QStringLiteral("CFG-Cache wurde mit Wan 2.1 Bild zu Video nie erprobt"));
}

void TranslationsTest::whyARunOfAnotherProcessFailedIsTranslated() {
    installTranslations(*qApp, QLocale(QStringLiteral("de")));
    const MeshFailure failure{.device = -1,
                              .rank = 1,
                              .host = "beta",
                              .reason = sentence("MPI does not return"),
                              .cancelled = false};
    RunState state;
    state.status = RunStatus::Failed;
    state.why = toSentence(decodeMessage(encodeMessage({ControlSignal::Failing, failure})).failure.value());
    const nlohmann::json stored = nlohmann::json::parse(nlohmann::json(state).dump());
    QCOMPARE(
        stateSentence(stored.get<RunState>()),
        QStringLiteral("Fehlgeschlagen: Rang 1 auf Rechner beta ist fehlgeschlagen: MPI kehrt nicht zurück"));

    nlohmann::json ofEarlierVersions = stored;
    ofEarlierVersions.erase("why_parts");
    QCOMPARE(stateSentence(ofEarlierVersions.get<RunState>()),
             QStringLiteral("Fehlgeschlagen: rank 1 on host beta failed: MPI does not return"));
}

void TranslationsTest::whyNoBlockSizesRanIsTranslated() {
    installTranslations(*qApp, QLocale(QStringLiteral("de")));
    TuneResult result;
    result.trials.push_back({.status = SampleStatus::Failed, .detail = sentence("MPI does not return")});
    const QString verdict = verdictText(result);
    QVERIFY2(verdict.contains(QStringLiteral("MPI kehrt nicht zurück")), qPrintable(verdict));
}

void TranslationsTest::presetsAreDescribedInTheLanguage() {
    installTranslations(*qApp, QLocale(QStringLiteral("de")));
    PresetMenu menu(nullptr);
    emit menu.aboutToShow();
    int presets = 0;
    for (const PresetProject& preset : presetProjects(presetFolder()))
        for (const QAction* action : menu.findChildren<QAction*>()) {
            if (action->toolTip().toStdString() != preset.file.filename())
                continue;
            ++presets;
            const std::string purpose = action->text().toStdString();
            QVERIFY2(!purpose.empty() && !preset.description.starts_with(purpose),
                     preset.description.c_str());
        }
    QVERIFY(presets > 30);
}

void TranslationsTest::keysAreExplainedInTheLanguage() {
    installTranslations(*qApp, QLocale(QStringLiteral("de")));
    KeyReference page(nullptr);
    const QString text = page.toPlainText();
    QVERIFY(text.startsWith(QStringLiteral("Schlüssel einer Projektdatei")));
    QVERIFY2(text.contains(QStringLiteral("Zulässig: 16 bis 4096")), qPrintable(text));
    for (const char* english : {"Legal:", "; default ", "(empty)", " is automatic"})
        QVERIFY2(!text.contains(QLatin1String(english)), english);
    page.showKey(QStringLiteral("height"));
    QCOMPARE(page.textCursor().selectedText(), QStringLiteral("height"));
}

MESHREEL_TEST_CLASS(TranslationsTest)
#include "translations_test.moc"
