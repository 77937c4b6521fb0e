// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>

namespace meshreel {

/// One picture, as large as fits with its proportions kept; a line of text where there is none.
class FrameView : public QWidget {
    Q_OBJECT

  public:
    explicit FrameView(QWidget* parent = nullptr);

    void setImage(const QImage& image);
    [[nodiscard]] const QImage& image() const { return m_image; }
    void setPlaceholder(const QString& text);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QImage m_image;
    QString m_placeholder;
};

}  // namespace meshreel
