// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>

namespace meshreel {

namespace {

QColor inkOf(QIcon::Mode mode) {
    const QPalette palette = QGuiApplication::palette();
    switch (mode) {
        case QIcon::Disabled:
            return palette.color(QPalette::Disabled, QPalette::ButtonText);
        case QIcon::Selected:
            return palette.color(QPalette::HighlightedText);
        case QIcon::Normal:
        case QIcon::Active:
            break;
    }
    return palette.color(QPalette::ButtonText);
}

void drawSvg(QPainter* painter, QRect rect, QByteArray svg, const QColor& ink) {
    svg.replace("currentColor", ink.name().toLatin1());
    QSvgRenderer(svg).render(painter, rect);
}

QByteArray readSvg(const QString& name) {
    QFile file(QStringLiteral(":/icons/actions/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Asks for the palette at every drawing, so that a switch between light and dark needs no reload.
class PaletteIconEngine : public QIconEngine {
  public:
    explicit PaletteIconEngine(QByteArray svg) : m_svg(std::move(svg)) {}
    ~PaletteIconEngine() override = default;
    Q_DISABLE_COPY_MOVE(PaletteIconEngine)

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State /*state*/) override {
        drawSvg(painter, rect, m_svg, inkOf(mode));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        if (pixmap.isNull())  // a button that the layout has no room for asks for nothing
            return pixmap;
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new PaletteIconEngine(m_svg); }

  private:
    QByteArray m_svg;
};

}  // namespace

QIcon themedIcon(const QString& name) {
    return QIcon(new PaletteIconEngine(readSvg(name)));
}

QPixmap tintedPixmap(const QString& name, QSize size, const QColor& ink) {
    const qreal ratio = qGuiApp->devicePixelRatio();
    QPixmap pixmap(size * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    drawSvg(&painter, QRect(QPoint(), size), readSvg(name), ink);
    return pixmap;
}

}  // namespace meshreel
