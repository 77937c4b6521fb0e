// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/contact_sheet.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QLocale>
#include <QPainter>
#include <algorithm>

#include "ui/player/spread_frames.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

struct ContactSheet {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ContactSheet)
};

constexpr int mostColumns = 6;
constexpr int leastFrameWidth = 160;  ///< small videos are enlarged to this
constexpr int mostFrameWidth = 480;

}  // namespace

QImage contactSheet(const Clip& clip) {
    const QList<int> frames = spreadFrames(static_cast<int>(clip.frames.size()), sheetFrames);
    const int columns = std::min(mostColumns, static_cast<int>(frames.size()));
    const int rows = (static_cast<int>(frames.size()) + columns - 1) / columns;
    const QSize video = clip.frames.first().size();
    const int width = std::clamp(video.width(), leastFrameWidth, mostFrameWidth);
    const QSize frame(width, width * video.height() / video.width());
    QFont font;
    const int line = QFontMetrics(font).lineSpacing() + tightSpacing;
    const QSize cell(frame.width() + spacing, frame.height() + line + spacing);
    QImage sheet(columns * cell.width() + spacing, rows * cell.height() + spacing, QImage::Format_RGB888);
    sheet.fill(stageColor());
    QPainter painter(&sheet);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, video.width() > width);
    painter.setFont(font);
    painter.setPen(Qt::white);
    for (int i = 0; i < frames.size(); ++i) {
        const QPoint corner(spacing + (i % columns) * cell.width(), spacing + (i / columns) * cell.height());
        painter.drawImage(QRect(corner, frame), clip.frames.at(frames.at(i)));
        painter.drawText(QRect(corner + QPoint(0, frame.height()), QSize(frame.width(), line)),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         ContactSheet::tr("%1 · %2 s", "number of a frame, time")
                             .arg(frames.at(i) + 1)
                             .arg(QLocale().toString(frames.at(i) / clip.framesPerSecond, 'f', 2)));
    }
    return sheet;
}

}  // namespace meshreel
