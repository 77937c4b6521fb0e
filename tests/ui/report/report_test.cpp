// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of comparisons: the page, the document, and what they tell.
#include <QAbstractTextDocumentLayout>
#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextBoundaryFinder>
#include <QTextLayout>
#include <QTextTable>
#include <algorithm>

#include "engine/base/error.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "ui/report/report_document.h"
#include "ui/report/report_export.h"

using namespace meshreel;
using meshreel::testing::makeRun;

namespace {

ReportedRun someRun(const std::string& name, double seconds) {
    ReportedRun run;
    run.record.name = name;
    run.record.attention = "ulysses";
    run.record.width = run.record.height = 64;
    run.record.frames = 17;
    for (int step = 0; step < 6; ++step)
        run.record.steps.push_back({.step = step, .seconds = seconds});
    run.record.timings = TimingSummary{.load = 1, .compile = 2, .inference = 6 * seconds};
    run.record.memory = {{.phase = "Denoise", .planned = 3 << 20, .held = 2 << 20, .mappedFiles = 1 << 20}};
    run.project = Project{};
    run.project->prompt = "a <b>river</b>";
    run.project->seed = static_cast<std::int64_t>(seconds);
    run.environment = {{QStringLiteral("Processor"), QStringLiteral("One")},
                       {QStringLiteral("Devices"), QString::number(seconds)}};
    QImage picture(40, 30, QImage::Format_RGB888);
    picture.fill(Qt::darkGreen);
    run.stills = {{picture, QStringLiteral("1 · 0.00 s")}, {picture, QStringLiteral("2 · 0.06 s")}};
    return run;
}

RunReport someReport() {
    RunReport report{.runs = {someRun("first<run>", 2), someRun("second", 1)}};
    for (const ReportChart& chart : reportCharts(report.runs))
        report.drawings.push_back(drawn(chart));
    return report;
}

QStringList joinTitles(const RunReport& report) {
    QStringList titles;
    for (const ReportSection& section : reportSections(report))
        titles += section.title;
    return titles;
}

const ReportTable& makeTable(const std::vector<ReportSection>& sections, const QString& title) {
    const auto found = std::ranges::find(sections, title, &ReportSection::title);
    return std::get<ReportTable>(found->blocks.front());
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class ReportTest : public QObject {
    Q_OBJECT

  private slots:
    void tellsWhatDiffers();
    void leavesOutWhatIsNotKnown();
    void pageNeedsNothingElse();
    void namesCannotBreakThePage();
    void wordsOfOthersStayWords();
    void documentHasVectorCharts();
    void noHeadingEndsAPage_data();
    void noHeadingEndsAPage();
    void noWordOfATableIsBroken_data();
    void noWordOfATableIsBroken();
    void longTitlesOfChartsAreWhole();
    void chartsOfOneRunAreDrawnForEach();
    void exporterWritesBothFormats();
    void exporterTellsTroubles();

  private:
    QTemporaryDir m_folder;
};

void ReportTest::tellsWhatDiffers() {
    const std::vector<ReportSection> sections = reportSections(someReport());
    const ReportTable& timings = makeTable(sections, QStringLiteral("Timings"));
    QCOMPARE(timings.rows.size(), 2U);
    QCOMPARE(timings.rows[1].last(), QStringLiteral("2.000"));  // twice as fast as the first
    const ReportTable& settings = makeTable(sections, QStringLiteral("Settings that differ"));
    QCOMPARE(settings.rows.size(), 1U);
    QCOMPARE(settings.rows[0].mid(1), QStringList({QStringLiteral("2"), QStringLiteral("1")}));
    const ReportTable& environment = makeTable(sections, QStringLiteral("Environment"));
    QCOMPARE(environment.rows.size(), 1U);
    QCOMPARE(environment.rows[0].first(), QStringLiteral("Devices"));
    for (const ReportSection& section : sections)
        for (const ReportBlock& block : section.blocks)
            if (const auto* const table = std::get_if<ReportTable>(&block))
                for (const QStringList& row : table->rows)
                    QCOMPARE(static_cast<std::size_t>(row.size()), table->columns.size());
}

void ReportTest::leavesOutWhatIsNotKnown() {
    ReportedRun pasted;
    pasted.record =
        pastedRuns(formatTimingSummary({.load = 1, .compile = 2, .inference = 3}), "from a review").front();
    const QStringList titles = joinTitles({.runs = {pasted}});
    QCOMPARE(titles, QStringList({QStringLiteral("Timings"), QStringLiteral("Timing summaries")}));
    QVERIFY(!reportPdf({.runs = {pasted}}).isEmpty());
}

void ReportTest::pageNeedsNothingElse() {
    const QString page = QString::fromUtf8(reportHtml(someReport()));
    static const QRegularExpression source(QStringLiteral("(src|href)=\"(?!data:|#)"));
    QVERIFY2(!page.contains(source), qPrintable(source.match(page).captured()));
    QVERIFY(!page.contains(QLatin1String("url(")) && !page.contains(QLatin1String("@import")));
    QCOMPARE(page.count(QLatin1String("<svg")), static_cast<qsizetype>(someReport().drawings.size()));
    QCOMPARE(page.count(QLatin1String("data:image/jpeg")), 4);
    QVERIFY(page.contains(QLatin1String("TIMING SUMMARY")));
    QVERIFY(!page.contains(QLatin1String("<?xml")));
}

void ReportTest::namesCannotBreakThePage() {
    const QString page = QString::fromUtf8(reportHtml(someReport()));
    QVERIFY(!page.contains(QLatin1String("<run>")) && !page.contains(QLatin1String("<b>")));
    QVERIFY(page.contains(QLatin1String("first&lt;run&gt;")));
}

void ReportTest::wordsOfOthersStayWords() {
    const std::string hostile = "</pre><script>alert(1)</script><img src=x onerror=y>\x1b[2J&\"'";
    RunReport report{.runs = {someRun(hostile, 2), someRun("second", 1)}};
    report.runs.front().project->prompt = hostile;
    report.runs.front().project->negativePrompt = hostile;
    report.runs.front().project->model = hostile;
    report.runs.front().environment.front().second = QString::fromStdString(hostile);
    for (const ReportChart& chart : reportCharts(report.runs))
        report.drawings.push_back(drawn(chart));
    const QString page = QString::fromUtf8(reportHtml(report));
    for (const char* markup : {"<script", "<img src=x"})
        QVERIFY2(!page.contains(QLatin1String(markup)), markup);
    QVERIFY(page.contains(QLatin1String("&lt;script&gt;alert(1)")));
    QVERIFY(page.contains(QLatin1String("\\x1b[2J")));
    const qsizetype policy =
        page.indexOf(QLatin1String("Content-Security-Policy\" content=\"default-src 'none'"));
    QVERIFY(policy > 0 && policy < page.indexOf(QLatin1String("<style")));
    for (const ReportDrawing& drawing : report.drawings)
        for (const char* markup : {"<script", "<img", "<image"})
            QVERIFY2(!drawing.svg.contains(markup), markup);
    const QByteArray pdf = reportPdf(report);
    for (const char* action : {"/JavaScript", "/JS", "/Launch", "/URI", "/SubmitForm"})
        QVERIFY2(!pdf.isEmpty() && !pdf.contains(action), action);
}

void ReportTest::documentHasVectorCharts() {
    RunReport report = someReport();
    const QByteArray withStills = reportPdf(report);
    QVERIFY(withStills.startsWith("%PDF-") && withStills.trimmed().endsWith("%%EOF"));
    QVERIFY(withStills.count("/Subtype /Image") > 0);
    for (ReportedRun& run : report.runs)
        run.stills.clear();
    const QByteArray drawnOnly = reportPdf(report);
    QCOMPARE(drawnOnly.count("/Subtype /Image"), 0);
    QVERIFY(drawnOnly.count("/Type /Page\n") > 1);
    report.drawings.clear();
    QVERIFY(reportPdf(report).size() < drawnOnly.size());
}

void ReportTest::noHeadingEndsAPage_data() {
    QTest::addColumn<int>("runs");
    for (int runs = 1; runs <= 9; ++runs)  // each moves what is behind its rows and pictures
        QTest::addRow("%d runs", runs) << runs;
}

void ReportTest::noHeadingEndsAPage() {
    QFETCH(const int, runs);
    RunReport report;
    for (int run = 0; run < runs; ++run)
        report.runs.push_back(someRun("run " + std::to_string(run), run + 1));
    const std::unique_ptr<QTextDocument> document = reportDocument(report);
    const auto pageAt = [&](double y) { return static_cast<int>(y / document->pageSize().height()); };
    const auto isHeading = [](const QTextBlock& block) {
        return !block.text().isEmpty() && QTextCursor(block).currentTable() == nullptr &&
               block.charFormat().fontWeight() == QFont::DemiBold;
    };
    const QAbstractTextDocumentLayout& layout = *document->documentLayout();
    int headings = 0;
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
        if (!isHeading(block))
            continue;
        ++headings;
        QTextBlock next = block.next();
        while (next.isValid() && (next.text().isEmpty() || isHeading(next)))
            next = next.next();
        if (const QTextTable* table = QTextCursor(next).currentTable(); table != nullptr && table->rows() > 1)
            next = table->cellAt(1, 0).lastCursorPosition().block();
        const int headingPage = pageAt(layout.blockBoundingRect(block).bottom() - 1);
        const int nextPage = pageAt(layout.blockBoundingRect(next).bottom() - 1);
        QVERIFY2(headingPage == nextPage, qPrintable(QStringLiteral("%1 on page %2, %3 on page %4")
                                                         .arg(block.text())
                                                         .arg(headingPage)
                                                         .arg(next.text())
                                                         .arg(nextPage)));
    }
    QVERIFY(headings > runs);
}

void ReportTest::noWordOfATableIsBroken_data() {
    QTest::addColumn<int>("runs");
    for (const int runs : {1, 2, 4, 8, 13})
        QTest::addRow("%d runs", runs) << runs;
}

void ReportTest::noWordOfATableIsBroken() {
    QFETCH(const int, runs);
    RunReport report;
    for (int run = 0; run < runs; ++run) {
        report.runs.push_back(
            someRun("20261122-1509" + std::to_string(10 + run) + "-a-sweep-of-all-modes-and-all-block-sizes",
                    100.0 * (run + 1)));
        report.runs.back().record.attention = "ulysses_ring_custom_bidir";
        report.runs.back().record.width = 1280;
        report.runs.back().record.height = 720;
        report.runs.back().record.frames = 121;
        report.runs.back().project->prompt =
            "a wide river that flows through a valley of number " + std::to_string(run);
    }
    const std::unique_ptr<QTextDocument> document = reportDocument(report);
    static const QRegularExpression number(QStringLiteral("^[-0-9.x×–]+$"));
    QStringList headings;
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
        const QTextTable* table = QTextCursor(block).currentTable();
        if (table == nullptr || block.text().isEmpty())
            continue;
        if (table->cellAt(block.position()).row() == 0)
            headings += block.text();
        const QTextLayout& layout = *block.layout();
        QVERIFY2(!number.match(block.text()).hasMatch() || layout.lineCount() == 1, qPrintable(block.text()));
        QTextBoundaryFinder finder(QTextBoundaryFinder::Line, block.text());
        for (int line = 1; line < layout.lineCount(); ++line) {
            finder.setPosition(layout.lineAt(line).textStart());
            QVERIFY2(finder.isAtBoundary(), qPrintable(block.text()));
        }
    }
    for (const char* heading : {"Attention", "Inference, s", "Speed"})
        QCOMPARE(headings.count(QLatin1String(heading)), 1);
    const auto pages = document->pageSize().width();
    QVERIFY2(document->size().width() <= pages + 1, "tables stay on the page");
}

void ReportTest::longTitlesOfChartsAreWhole() {
    const auto heightWith = [](const QString& title) {
        RunReport report{.runs = {someRun("first", 2)}};
        report.drawings = {{.title = title, .svg = drawn(reportCharts(report.runs).front()).svg}};
        const std::unique_ptr<QTextDocument> document = reportDocument(report);
        double height = 0;
        for (QTextBlock block = document->begin(); block.isValid(); block = block.next())
            if (block.text() == QString(QChar::ObjectReplacementCharacter) &&
                QTextCursor(block).currentTable() == nullptr)
                height = document->documentLayout()->blockBoundingRect(block).height();
        return height;
    };
    const double usual = heightWith(QStringLiteral("Seconds"));
    QVERIFY(usual > 0);
    QVERIFY(heightWith(QStringLiteral("What each device did ").repeated(8)) > usual + 5);
}

void ReportTest::chartsOfOneRunAreDrawnForEach() {
    std::vector<ReportedRun> runs{someRun("first", 2), someRun("second", 1)};
    const std::size_t shared = reportCharts(runs).size();
    for (ReportedRun& run : runs)
        run.record.deviceTimes = {{.step = 0, .devices = {{.computing = 1}, {.computing = 0.5}}}};
    QCOMPARE(reportCharts(runs).size(), shared + 2);
}

void ReportTest::exporterWritesBothFormats() {
    ReportExporter exporter;
    QSignalSpy written(&exporter, &ReportExporter::written);
    const std::vector<RunRecord> records{someRun("first", 2).record, someRun("second", 1).record};
    for (const auto& [name, start] :
         {std::pair{"page.html", "<!DOCTYPE html>"}, std::pair{"page.pdf", "%PDF-"}}) {
        const QString file = m_folder.filePath(QLatin1String(name));
        exporter.write(file, {}, records);
        QVERIFY(exporter.isBusy());
        QVERIFY(written.wait());
        QVERIFY(!exporter.isBusy());
        QVERIFY(contentOf(file).startsWith(start));
    }
    QVERIFY(contentOf(m_folder.filePath(QStringLiteral("page.html"))).contains("<svg"));
}

void ReportTest::exporterTellsTroubles() {
    ReportExporter exporter;
    QSignalSpy wentWrong(&exporter, &ReportExporter::wentWrong);
    exporter.write(m_folder.filePath(QStringLiteral("page.doc")), {}, {someRun("first", 2).record});
    QVERIFY(wentWrong.wait());
    QVERIFY(wentWrong.last().first().value<Problem>().hint().text().find(".html") != std::string::npos);
    exporter.write(m_folder.filePath(QStringLiteral("nowhere.html")), {"/nowhere"}, {});
    QVERIFY(wentWrong.wait());
    QVERIFY(!exporter.isBusy());
    QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("nowhere.html"))));

    QSignalSpy written(&exporter, &ReportExporter::written);
    QSignalSpy leftOut(&exporter, &ReportExporter::leftOut);
    makeRun(m_folder.filePath(QStringLiteral("run")).toStdString(), 1);
    exporter.write(m_folder.filePath(QStringLiteral("some.html")),
                   {"/nowhere", m_folder.filePath(QStringLiteral("run")).toStdString(), "/nor-here"}, {});
    QVERIFY(written.wait());
    QCOMPARE(leftOut.count(), 1);
    const std::string said = leftOut.last().first().value<Problem>().message.text();
    for (const char* name : {"/nowhere", "/nor-here"})
        QVERIFY2(said.find(name) != std::string::npos, said.c_str());
}

MESHREEL_TEST_CLASS(ReportTest)
#include "report_test.moc"
