// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_sheet.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFile>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "ui/charts/chart_axes.h"

namespace meshreel {

ChartSheet stepSheet(const std::vector<StepRecord>& records, StepMetric metric,
                     const std::vector<int>& resumedFrom) {
    DataTable numbers = recordTable<StepRecord>();
    for (StepRecord step : records) {
        step.step += firstShownStep;
        numbers.rows.push_back(cells(step));
    }
    const auto draw = [records, metric, resumedFrom]() -> std::unique_ptr<QChart> {
        auto chart = std::make_unique<StepChart>();
        chart->setRecords(records, 0, resumedFrom);
        chart->setMetric(metric);
        return chart;
    };
    return {.draw = draw, .numbers = std::move(numbers)};
}

namespace {

constexpr QSize chartSize{1200, 675};  ///< layout units: pixels at 96 dpi
constexpr int pngScale = 2;
constexpr int pdfResolution = 300;

void paintChart(QPainter& painter, const QRectF& target, const ChartSheet& sheet, const QSize& size) {
    QGraphicsScene scene(QRectF(QPointF(), size));
    QChart* const chart = sheet.draw().release();
    scene.addItem(chart);
    if (!sheet.title.isEmpty())
        chart->setTitle(sheet.title.toHtmlEscaped());  // Qt Charts reads mark-up in it
    chart->resize(size);
    chart->layout()->activate();  // what was fitted to the size
    painter.setRenderHint(QPainter::Antialiasing);
    scene.render(&painter, target, scene.sceneRect());
}

QByteArray encodePng(const ChartSheet& sheet) {
    QImage image(chartSize * pngScale, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintChart(painter, image.rect(), sheet, chartSize);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

}  // namespace

QByteArray chartSvg(const ChartSheet& sheet, const QSize& size) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(QStringLiteral("Meshreel"));
    QPainter painter(&generator);
    paintChart(painter, QRectF(QPointF(), size), sheet, size);
    painter.end();
    return bytes;
}

namespace {

QByteArray encodeSvg(const ChartSheet& sheet) {
    return chartSvg(sheet, chartSize);
}

QByteArray encodePdf(const ChartSheet& sheet) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Meshreel"));
    writer.setResolution(pdfResolution);
    writer.setPageSize(QPageSize(QSizeF(chartSize) * 0.25, QPageSize::Millimeter));
    writer.setPageMargins(QMarginsF());
    QPainter painter(&writer);
    paintChart(painter, QRectF(0, 0, writer.width(), writer.height()), sheet, chartSize);
    painter.end();
    return bytes;
}

QByteArray encodeCsv(const ChartSheet& sheet) {
    return QByteArray::fromStdString(toCsv(sheet.numbers));
}

QByteArray encodeJson(const ChartSheet& sheet) {
    return QByteArray::fromStdString(makeJson(sheet.numbers));
}

constexpr std::array formats{
    ChartFormat{"png", QT_TRANSLATE_NOOP("ChartFormats", "PNG image"), encodePng},
    ChartFormat{"svg", QT_TRANSLATE_NOOP("ChartFormats", "SVG drawing"), encodeSvg},
    ChartFormat{"pdf", QT_TRANSLATE_NOOP("ChartFormats", "PDF document"), encodePdf},
    ChartFormat{"csv", QT_TRANSLATE_NOOP("ChartFormats", "CSV table"), encodeCsv},
    ChartFormat{"json", QT_TRANSLATE_NOOP("ChartFormats", "JSON data"), encodeJson},
};

}  // namespace

std::span<const ChartFormat> chartFormats() {
    return formats;
}

QString chartFormatTitle(const ChartFormat& format) {
    return QCoreApplication::translate("ChartFormats", format.title);
}

void exportChart(const std::filesystem::path& file, const ChartSheet& sheet) {
    const QString extension = QString::fromStdString(file.extension().string()).toLower();
    const auto* const format = std::ranges::find_if(formats, [&extension](const ChartFormat& row) {
        return extension == QLatin1Char('.') + QLatin1StringView(row.extension.data(), row.extension.size());
    });
    if (format == formats.end())
        throw Error(ErrorKind::Project,
                    sentence("A chart cannot be written as '{}'", file.extension().string()), file.string(),
                    sentence("Use .png, .svg, .pdf, .csv or .json"));
    const QByteArray bytes = format->encode(sheet);
    writeFileAtomically(file, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

OffscreenSession::OffscreenSession() {
    constexpr const char* runtimeFolder = "XDG_RUNTIME_DIR";
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!qEnvironmentVariableIsEmpty(runtimeFolder))
        return;
    m_runtimeFolder = std::make_unique<QTemporaryDir>();
    if (m_runtimeFolder->isValid())
        qputenv(runtimeFolder, QFile::encodeName(m_runtimeFolder->path()));
}

}  // namespace meshreel
