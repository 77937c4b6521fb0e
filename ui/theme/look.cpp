// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/look.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFont>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>
#include <QWidget>

namespace meshreel {

QColor mixedColor(const QColor& from, const QColor& to, double share) {
    const auto part = static_cast<float>(share);
    const auto mixed = [part](float one, float other) { return one + (other - one) * part; };
    return QColor::fromRgbF(mixed(from.redF(), to.redF()), mixed(from.greenF(), to.greenF()),
                            mixed(from.blueF(), to.blueF()));
}

namespace {

constexpr double mutedShare = 0.36;  ///< how far muted text moves from the text to the window colour

constexpr double monospaceScale = 0.9;  ///< fixed-pitch faces look larger than others of the same size

}  // namespace

bool isDark(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

QColor stageColor() {
    return {0x1b, 0x1d, 0x21};
}

QColor errorColor(const QPalette& palette) {
    return isDark(palette) ? QColor(0xff, 0x8a, 0x80) : QColor(0xb7, 0x1c, 0x1c);
}

QColor warningColor(const QPalette& palette) {
    return isDark(palette) ? QColor(0xff, 0xb7, 0x4d) : QColor(0xa8, 0x5b, 0x00);
}

QColor mutedColor(const QPalette& palette) {
    return mixedColor(palette.color(QPalette::WindowText), palette.color(QPalette::Window), mutedShare);
}

QColor textColor(const QPalette& palette) {
    return palette.color(QPalette::WindowText);
}

namespace {

/// A palette keeps what was set in it when the program gets another one.
class InkKeeper : public QObject {
    Q_OBJECT

  public:
    using Ink = QColor (*)(const QPalette&);

    explicit InkKeeper(QWidget& words) : QObject(&words), m_words(words) { words.installEventFilter(this); }

    void take(Ink ink) {
        m_ink = ink;
        draw();
    }

  protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::PaletteChange)
            draw();
        return false;
    }

  private:
    void draw() {
        QPalette colours = m_words.palette();
        colours.setColor(QPalette::WindowText, m_ink(QApplication::palette()));
        m_words.setPalette(colours);
    }

    QWidget& m_words;
    Ink m_ink = textColor;
};

}  // namespace

void keepInk(QWidget& words, QColor (*ink)(const QPalette&)) {
    auto* keeper = words.findChild<InkKeeper*>(QString(), Qt::FindDirectChildrenOnly);
    if (keeper == nullptr)
        keeper = new InkKeeper(words);
    keeper->take(ink);
}

QFont monospaceFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    // Fixed-pitch faces for CJK draw the summary's box characters twice as wide.
    font.setFamilies({QStringLiteral("DejaVu Sans Mono"), font.family()});
    font.setPointSizeF(QApplication::font().pointSizeF() * monospaceScale);
    return font;
}

namespace {

constexpr int markWidth = 2;  ///< pixels; seen beside every picture

}  // namespace

void outlineFocus(QPainter& painter, const QRect& place, const QPalette& palette) {
    // Not the style's PE_FrameFocusRect, which Fusion also fills: a tint over pictures.
    const QRegion outline = QRegion(place) - place.adjusted(markWidth, markWidth, -markWidth, -markWidth);
    for (const QRect& side : outline)
        painter.fillRect(side, palette.color(QPalette::Active, QPalette::Highlight));
}

void paintFocus(QPainter& painter, const QWidget& widget) {
    if (widget.hasFocus() && widget.window()->testAttribute(Qt::WA_KeyboardFocusChange))
        outlineFocus(painter, widget.rect(), widget.palette());
}

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

#include "look.moc"
