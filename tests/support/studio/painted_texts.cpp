// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/painted_texts.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QRegularExpression>
#include <QWidget>

namespace meshreel::testing {

namespace {

const QRegularExpression& leftOut() {
    static const QRegularExpression dots(QStringLiteral("…|\\.\\.\\."));
    return dots;
}

/// Paints nothing and keeps the texts.
class TextRecorder : public QPaintEngine {
  public:
    explicit TextRecorder(const QRect& paper) : QPaintEngine(AllFeatures), m_paper(paper) {}

    [[nodiscard]] std::vector<PaintedText> takeTexts() { return std::move(m_texts); }

    bool begin(QPaintDevice* /*device*/) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState& /*state*/) override {}
    [[nodiscard]] Type type() const override { return User; }

    void drawTextItem(const QPointF& baseline, const QTextItem& item) override {
        constexpr double tolerance = 1;  // pixels that letters may lean out
        const QRectF place(baseline.x(), baseline.y() - item.ascent(), item.width(),
                           item.ascent() + item.descent());
        const QTransform& toDevice = painter()->combinedTransform();
        const QPointF middle = toDevice.map(place.center());
        QRectF room = toDevice.inverted().mapRect(QRectF(m_paper));
        if (painter()->hasClipping())
            room &= painter()->clipBoundingRect();
        m_texts.push_back({.text = item.text(),
                           .isClipped = place.left() < room.left() - tolerance ||
                                        place.right() > room.right() + tolerance ||
                                        !room.contains(place.center()),
                           .place = middle.toPoint()});
    }

    void drawPath(const QPainterPath& /*path*/) override {}
    void drawPolygon(const QPointF* /*points*/, int /*count*/, PolygonDrawMode /*mode*/) override {}
    void drawPolygon(const QPoint* /*points*/, int /*count*/, PolygonDrawMode /*mode*/) override {}
    void drawRects(const QRectF* /*rects*/, int /*count*/) override {}
    void drawRects(const QRect* /*rects*/, int /*count*/) override {}
    void drawLines(const QLineF* /*lines*/, int /*count*/) override {}
    void drawLines(const QLine* /*lines*/, int /*count*/) override {}
    void drawPoints(const QPointF* /*points*/, int /*count*/) override {}
    void drawPoints(const QPoint* /*points*/, int /*count*/) override {}
    void drawEllipse(const QRectF& /*rect*/) override {}
    void drawEllipse(const QRect& /*rect*/) override {}
    void drawPixmap(const QRectF& /*to*/, const QPixmap& /*pixmap*/, const QRectF& /*from*/) override {}
    void drawTiledPixmap(const QRectF& /*to*/, const QPixmap& /*pixmap*/, const QPointF& /*from*/) override {}
    void drawImage(const QRectF& /*to*/, const QImage& /*image*/, const QRectF& /*from*/,
                   Qt::ImageConversionFlags /*flags*/) override {}

  private:
    QRect m_paper;
    std::vector<PaintedText> m_texts;
};

class TextPaper : public QPaintDevice {
  public:
    explicit TextPaper(const QWidget& widget) : m_widget(widget), m_recorder(widget.rect()) {}

    [[nodiscard]] QPaintEngine* paintEngine() const override { return &m_recorder; }
    [[nodiscard]] std::vector<PaintedText> takeTexts() { return m_recorder.takeTexts(); }

  protected:
    /// As the widget's, but for pixels: one of the paper is one of the layout.
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth:
                return m_widget.width();
            case PdmHeight:
                return m_widget.height();
            case PdmWidthMM:
                return m_widget.widthMM();
            case PdmHeightMM:
                return m_widget.heightMM();
            case PdmDpiX:
            case PdmPhysicalDpiX:
                return m_widget.logicalDpiX();
            case PdmDpiY:
            case PdmPhysicalDpiY:
                return m_widget.logicalDpiY();
            case PdmDepth:
                return m_widget.depth();
            case PdmNumColors:
                return m_widget.colorCount();
            case PdmDevicePixelRatio:
                return 1;
            case PdmDevicePixelRatioScaled:
                return static_cast<int>(devicePixelRatioFScale());
        }
        return 0;
    }

  private:
    const QWidget& m_widget;
    mutable TextRecorder m_recorder;
};

}  // namespace

bool PaintedText::isShortened() const {
    return leftOut().match(text).hasMatch();
}

QStringList PaintedText::parts() const {
    return text.split(leftOut(), Qt::SkipEmptyParts);
}

std::vector<PaintedText> paintedTexts(QWidget& widget) {
    TextPaper paper(widget);
    widget.render(&paper, QPoint(), QRegion(), QWidget::RenderFlags());
    return paper.takeTexts();
}

}  // namespace meshreel::testing
