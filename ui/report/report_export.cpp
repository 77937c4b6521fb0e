// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_export.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QImage>
#include <QLocale>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/runs/run_record_reader.h"
#include "ui/charts/chart_sheet.h"
#include "ui/report/report_document.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int jpegQuality = 88;

constexpr const char* style = R"(
:root { color-scheme: light dark; --text: #1d232a; --muted: #5d6873; --ground: #ffffff; --line: #d9dee3;
  --soft: #f4f6f8; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ec; --muted: #9aa5b1; --ground: #14181d;
  --line: #313a43; --soft: #1c2229; } }
@media print { :root { --text: #000; --ground: #fff; } details { display: none; } }
body { margin: 0 auto; max-width: 1160px; padding: 32px 24px 64px; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 28px; font-weight: 650; }
h2 { margin: 44px 0 12px; padding-bottom: 6px; border-bottom: 1px solid var(--line); font-size: 19px; }
h3 { margin: 20px 0 8px; font-size: 15px; font-weight: 600; overflow-wrap: anywhere; }
.subtitle, figcaption { color: var(--muted); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0 0 16px; font-size: 14px; }
th { color: var(--muted); font-weight: 600; text-align: left; vertical-align: bottom; }
th, td { padding: 6px 18px 6px 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
td { vertical-align: top; }
td:first-child { font-weight: 550; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.stills { display: grid; grid-template-columns: repeat(6, 1fr); gap: 8px; }
figure { margin: 0; break-inside: avoid; }
.stills img { display: block; width: 100%; border-radius: 4px; }
figcaption { padding-top: 4px; font-size: 12px; }
.drawing { margin: 0 0 24px; padding: 12px; border: 1px solid var(--line); border-radius: 8px; background: #fff;
  color: #1d232a; }
.drawing h3 { margin-top: 0; }
.drawing svg { display: block; width: 100%; height: auto; }
.texts { display: flex; flex-wrap: wrap; gap: 24px; }
pre { margin: 0; padding: 14px 16px; border-radius: 8px; background: var(--soft); overflow-x: auto;
  font: 12.5px/1.5 ui-monospace, monospace; }
summary { cursor: pointer; }
)";

/// The page loads nothing, runs nothing and sends nothing: pictures and styles stand in it.
constexpr const char* policy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Returns the text to show as it reads, whoever wrote it: no mark-up, and no controls, which XML does not
/// allow either.
QString escaped(const QString& text) {
    return visibleText(text).toHtmlEscaped();
}

QString element(const char* tag, const QString& text) {
    return QStringLiteral("<%1>%2</%1>\n").arg(QLatin1String(tag), escaped(text));
}

QString jpegSource(const QImage& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    picture.save(&buffer, "JPEG", jpegQuality);
    return QStringLiteral("data:image/jpeg;base64,") + QString::fromLatin1(bytes.toBase64());
}

QString cell(const char* tag, const QString& text, bool isNumber) {
    return QStringLiteral("<%1%2>%3</%1>")
        .arg(QLatin1String(tag), isNumber ? QStringLiteral(" class=\"number\"") : QString(), escaped(text));
}

/// Writes each kind of block.
struct HtmlWriter {
    QString operator()(const ReportTable& table) const {
        QString html = QStringLiteral("<div class=\"wide\"><table>\n<thead><tr>");
        for (const ReportTable::Column& column : table.columns)
            html += cell("th", column.title, column.isNumber);
        html += QStringLiteral("</tr></thead>\n<tbody>\n");
        for (const QStringList& row : table.rows) {
            html += QStringLiteral("<tr>");
            for (qsizetype column = 0; column < row.size(); ++column)
                html += cell("td", row[column], table.columns[static_cast<std::size_t>(column)].isNumber);
            html += QStringLiteral("</tr>\n");
        }
        return html + QStringLiteral("</tbody>\n</table></div>\n");
    }

    QString operator()(const ReportStills& run) const {
        QString html = element("h3", run.run);
        if (!run.problem.isEmpty())
            return html + element("p", run.problem);
        html += QStringLiteral("<div class=\"stills\">\n");
        for (const Still& still : run.stills)
            html +=
                QStringLiteral("<figure><img alt=\"%1\" src=\"%2\"><figcaption>%1</figcaption></figure>\n")
                    .arg(escaped(still.caption), jpegSource(still.picture));
        return html + QStringLiteral("</div>\n");
    }

    /// Without what only stands before the drawing in a file of its own.
    QString operator()(const ReportDrawing& chart) const {
        const QString svg = QString::fromUtf8(chart.svg);
        return QStringLiteral("<figure class=\"drawing\" aria-label=\"%1\"><h3>%1</h3>\n")
                   .arg(escaped(chart.title)) +
               svg.mid(svg.indexOf(QLatin1String("<svg"))) + QStringLiteral("</figure>\n");
    }

    QString operator()(const ReportText& text) const {
        const QString body = QStringLiteral("<pre>%1</pre>").arg(escaped(text.text));
        if (text.folded)
            return QStringLiteral("<details><summary>%1</summary>%2</details>\n")
                .arg(escaped(text.title), body);
        return QStringLiteral("<div>%1%2</div>\n").arg(element("h3", text.title), body);
    }
};

QString sectionHtml(const ReportSection& section) {
    const bool texts = std::holds_alternative<ReportText>(section.blocks.front());
    QString html = QStringLiteral("<section>\n") + element("h2", section.title);
    if (texts)
        html += QStringLiteral("<div class=\"texts\">\n");
    for (const ReportBlock& block : section.blocks)
        html += std::visit(HtmlWriter{}, block);
    if (texts)
        html += QStringLiteral("</div>\n");
    return html + QStringLiteral("</section>\n");
}

}  // namespace

QByteArray reportHtml(const RunReport& report) {
    const QString title = escaped(reportTitle(report));
    QString html = QStringLiteral(
                       "<!DOCTYPE html>\n<html lang=\"%1\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"%5\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n"
                       "<title>%2</title>\n<style>%3</style>\n</head>\n<body>\n<header><h1>%2</h1>\n"
                       "<div class=\"subtitle\">%4</div></header>\n")
                       .arg(QLocale().bcp47Name(), title, QLatin1String(style), escaped(reportSubtitle()),
                            QLatin1String(policy));
    for (const ReportSection& section : reportSections(report))
        html += sectionHtml(section);
    return (html + QStringLiteral("</body>\n</html>\n")).toUtf8();
}

namespace {

constexpr double layoutResolution = 96;
constexpr int pdfResolution = 300;

void paintFooter(QPainter& painter, const QString& words, int number, int pages) {
    const QRectF foot(report_page::margin, report_page::size.height() - report_page::margin,
                      report_page::size.width() - 2 * report_page::margin, report_page::footer);
    QFont font;
    font.setPixelSize(report_page::smallPixels);
    painter.setFont(font);
    painter.setPen(QColor(report_page::mutedText));
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop, words);
    painter.drawText(foot, Qt::AlignRight | Qt::AlignTop, QStringLiteral("%1 / %2").arg(number).arg(pages));
}

void paintPages(QTextDocument& document, QPdfWriter& writer, const QString& words) {
    QPainter painter(&writer);
    const double scale = static_cast<double>(pdfResolution) / layoutResolution;
    painter.scale(scale, scale);
    const QSizeF content = report_page::content;
    for (int number = 0; number < document.pageCount(); ++number) {
        if (number > 0)
            writer.newPage();
        const QRectF shown(QPointF(0, number * content.height()), content);
        painter.save();
        painter.translate(report_page::margin, report_page::margin - shown.top());
        QAbstractTextDocumentLayout::PaintContext context;
        context.clip = shown;
        context.palette.setColor(QPalette::Text, Qt::black);
        painter.setClipRect(shown);
        document.documentLayout()->draw(&painter, context);
        painter.restore();
        paintFooter(painter, words, number + 1, document.pageCount());
    }
}

}  // namespace

QByteArray reportPdf(const RunReport& report) {
    const std::unique_ptr<QTextDocument> document = reportDocument(report);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Meshreel"));
    writer.setTitle(reportTitle(report));
    writer.setResolution(pdfResolution);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF());
    paintPages(*document, writer, reportTitle(report));
    return bytes;
}

namespace {

struct ReportFormat {
    QLatin1StringView extension;
    QByteArray (*encode)(const RunReport& report) = nullptr;
};

constexpr std::array formats{ReportFormat{QLatin1StringView(".html"), reportHtml},
                             ReportFormat{QLatin1StringView(".pdf"), reportPdf}};

const ReportFormat& findReportFormat(const std::filesystem::path& file) {
    const QString extension = QString::fromStdString(file.extension().string()).toLower();
    const auto* const found = std::ranges::find(formats, extension, &ReportFormat::extension);
    if (found == formats.end())
        throw Error(ErrorKind::Project,
                    sentence("A report cannot be written as '{}'", file.extension().string()), file.string(),
                    sentence("Use .html or .pdf"));
    return *found;
}

}  // namespace

ReportDrawing drawn(const ReportChart& chart) {
    return {chart.title, chartSvg(chart.sheet, reportChartSize)};
}

void requireReportFormat(const std::filesystem::path& file) {
    static_cast<void>(findReportFormat(file));
}

void writeReport(const std::filesystem::path& file, const RunReport& report) {
    const QByteArray bytes = findReportFormat(file).encode(report);
    writeFileAtomically(file, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

void exportReport(const std::filesystem::path& file, std::vector<ReportedRun> runs) {
    requireReportFormat(file);
    RunReport report{.runs = std::move(runs)};
    for (const ReportChart& chart : reportCharts(report.runs))
        report.drawings.push_back(drawn(chart));
    writeReport(file, report);
}

namespace {

struct ReadRuns {
    std::vector<ReportedRun> runs;
    std::vector<ReportChart> charts;
    std::vector<Error> unread = {};
};

ReadRuns readRuns(const std::vector<std::filesystem::path>& folders, const std::vector<RunRecord>& pasted,
                  const StopToken& stop) {
    ReadRuns read;
    read.runs = readEach(
        folders, [&stop](const std::filesystem::path& folder) { return readReportedRuns(folder, stop); },
        read.unread);
    throwIfStopped(stop);
    for (const RunRecord& record : pasted)
        read.runs.push_back({.record = record});
    read.charts = reportCharts(read.runs);
    return read;
}

}  // namespace

ReportExporter::ReportExporter(QObject* parent) : QObject(parent) {
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &ReportExporter::drawNext);
}

ReportExporter::~ReportExporter() {
    m_stop.request_stop();
}

void ReportExporter::write(const QString& file, const std::vector<std::filesystem::path>& folders,
                           const std::vector<RunRecord>& pasted) {
    if (m_isBusy)
        return;
    setBusy(true);
    m_file = file;
    m_background.run(
        [file = file.toStdString(), folders, pasted, stop = m_stop.get_token()] {
            requireReportFormat(file);
            return readRuns(folders, pasted, stop);
        },
        [this](ReadRuns read) {
            m_report = {.runs = std::move(read.runs)};
            m_toDraw = std::move(read.charts);
            m_leftOut = leftOutProblem(read.unread);
            m_turn.start();
        },
        [this](const Problem& problem) { fail(problem); });
}

void ReportExporter::drawNext() {
    const std::size_t next = m_report.drawings.size();
    if (next < m_toDraw.size()) {
        m_report.drawings.push_back(drawn(m_toDraw[next]));
        return;
    }
    m_turn.stop();
    finish();
}

void ReportExporter::finish() {
    m_toDraw.clear();
    m_background.run(
        [file = m_file.toStdString(), report = std::exchange(m_report, {})] {
            writeReport(file, report);
            return true;
        },
        [this](bool) {
            setBusy(false);
            emit written(m_file);
            if (const std::optional<Problem> unread = std::exchange(m_leftOut, std::nullopt))
                emit leftOut(*unread);
        },
        [this](const Problem& problem) { fail(problem); });
}

void ReportExporter::fail(const Problem& problem) {
    setBusy(false);
    emit wentWrong(problem);
}

void ReportExporter::setBusy(bool busy) {
    m_isBusy = busy;
    emit busyChanged(busy);
}

}  // namespace meshreel

#include "moc_report_export.cpp"
