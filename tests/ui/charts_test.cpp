// SPDX-License-Identifier: GPL-3.0-or-later
#include <QBuffer>
#include <QFile>
#include <QImage>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include "engine/base/error.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/step_chart.h"
#include "ui/models/step_table_model.h"

using namespace meshreel;

namespace {

constexpr int stepCount = 12;

std::vector<StepRecord> someSteps() {
    std::vector<StepRecord> steps;
    for (int i = 0; i < stepCount; ++i)
        steps.push_back(
            {i, 1000.0 - i, 1.0 - 0.05 * i, 0.25 + 0.01 * (i % 3), -3.0 + 0.1 * i, 3.0 - 0.1 * i, 0.01 * i});
    return steps;
}

QByteArray contentOf(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// How many pixels are of about this colour.
int countPixels(const QImage& image, const QColor& wanted) {
    constexpr int tolerance = 24;
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            if (std::abs(pixel.red() - wanted.red()) < tolerance &&
                std::abs(pixel.green() - wanted.green()) < tolerance &&
                std::abs(pixel.blue() - wanted.blue()) < tolerance)
                ++count;
        }
    }
    return count;
}

}  // namespace

class ChartsTest : public QObject {
    Q_OBJECT

  private slots:
    void modelTellsItsRows();
    void chartDrawsEachStep();
    void pngShowsTheLine();
    void svgIsADrawing();
    void pdfIsWhole();
    void csvReadsBack();
    void otherFormatsAreRefused();
    void failedExportLeavesTheOldFile();

  private:
    std::filesystem::path fileNamed(const char* name) const {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }

    QTemporaryDir m_folder;
};

void ChartsTest::modelTellsItsRows() {
    StepTableModel model;
    model.append(someSteps());
    QCOMPARE(model.rowCount(), stepCount);
    QCOMPARE(model.index(3, StepTableModel::Seconds).data().toDouble(), 0.25);
    QVERIFY(model.headerData(StepTableModel::Sigma, Qt::Horizontal).isValid());
    model.clear();
    QCOMPARE(model.rowCount(), 0);
}

void ChartsTest::chartDrawsEachStep() {
    StepChart chart;
    chart.setRecords(someSteps());
    QCOMPARE(chart.pointCount(), stepCount);
    chart.setMetric(StepMetric::Latents);
    QCOMPARE(chart.pointCount(), stepCount);
    chart.setRecords({});
    QCOMPARE(chart.pointCount(), 0);
}

void ChartsTest::pngShowsTheLine() {
    exportChart(fileNamed("steps.png"), someSteps(), StepMetric::Seconds);
    const QImage image(m_folder.filePath(QStringLiteral("steps.png")));
    QVERIFY(image.width() >= 1200);
    constexpr int lineAtLeast = 500;  // pixels, for a line across most of the picture
    QVERIFY(countPixels(image, ChartStyle::print().line) > lineAtLeast);
    exportChart(fileNamed("none.png"), {}, StepMetric::Seconds);
    const QImage empty(m_folder.filePath(QStringLiteral("none.png")));
    QVERIFY(countPixels(empty, ChartStyle::print().line) < lineAtLeast);
}

void ChartsTest::svgIsADrawing() {
    exportChart(fileNamed("steps.svg"), someSteps(), StepMetric::Latents);
    const QByteArray bytes = contentOf(fileNamed("steps.svg"));
    QVERIFY(QSvgRenderer(bytes).isValid());
    QXmlStreamReader xml(bytes);
    int shapes = 0;
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement &&
            (xml.name() == QLatin1String("path") || xml.name() == QLatin1String("polyline")))
            ++shapes;
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QVERIFY(shapes > stepCount);
}

void ChartsTest::pdfIsWhole() {
    exportChart(fileNamed("steps.pdf"), someSteps(), StepMetric::Seconds);
    const QByteArray bytes = contentOf(fileNamed("steps.pdf"));
    QVERIFY(bytes.startsWith("%PDF-"));
    QVERIFY(bytes.trimmed().endsWith("%%EOF"));
    QVERIFY(bytes.contains("/Type /Page"));
}

void ChartsTest::csvReadsBack() {
    exportChart(fileNamed("steps.csv"), someSteps(), StepMetric::Seconds);
    QCOMPARE(parseStepCsv(contentOf(fileNamed("steps.csv")).toStdString()), someSteps());
}

void ChartsTest::otherFormatsAreRefused() {
    QVERIFY_EXCEPTION_THROWN(exportChart(fileNamed("steps.bmp"), someSteps(), StepMetric::Seconds), Error);
    QVERIFY(!std::filesystem::exists(fileNamed("steps.bmp")));
}

void ChartsTest::failedExportLeavesTheOldFile() {
    QVERIFY_EXCEPTION_THROWN(exportChart(fileNamed("missing/steps.png"), someSteps(), StepMetric::Seconds),
                             Error);
    QVERIFY(!std::filesystem::exists(fileNamed("missing")));
}

QTEST_MAIN(ChartsTest)
#include "charts_test.moc"
