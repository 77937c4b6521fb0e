// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMargins>
#include <QRect>
#include <QScrollArea>

class QWidget;

namespace meshreel {

/// Returns where to put a window's contents from `wanted` so that they lie on `available` with a frame of
/// these margins around: moved first, then made smaller. All in device-independent pixels.
QRect fittedPlace(const QRect& wanted, const QMargins& frame, const QRect& available);

/// Keeps all of a window on its screen, title bar included; does nothing to one that fills it. If the frame
/// is not known yet, as before the window is shown, assumes a large one.
void fitIntoScreen(QWidget& window);

/// Gives a panel all the room there is, and scrolls it if that is less than the panel needs: a window can be
/// smaller than the sum of its panels. Unlike a resizable QScrollArea, it lets lists and pictures shrink to
/// their smallest size before it scrolls.
class PanelScroller : public QScrollArea {
    Q_OBJECT

  public:
    enum class Along {
        Both,
        Width,  ///< the height is always what the panel needs
    };

    /// Owns the panel.
    explicit PanelScroller(QWidget* panel, Along along = Along::Both, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    [[nodiscard]] QSize leastSize(int width) const;
    [[nodiscard]] int heightAlongWidth() const;
    void fit();

    Along m_along;
    bool m_isWide = false;  ///< wider than its room, as of the last fit()
};

}  // namespace meshreel
