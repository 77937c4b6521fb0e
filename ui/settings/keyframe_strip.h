// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <QWidget>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace meshreel {

class LatestOnly;

/// The clip as a strip of its frames, with pictures standing at theirs. They are dragged along it; with the
/// keyboard, Up and Down choose one, Left and Right move it by a frame, Page Up and Page Down by four, and
/// Delete removes it. Left is the beginning, whatever the language. The strip changes nothing by itself: it
/// says what is wanted, and shows what it is given.
class KeyframeStrip : public QWidget {
    Q_OBJECT

  public:
    /// A picture at a frame.
    struct Mark {
        std::int64_t frame = 0;
        QString file;          ///< absolute, or it has no thumbnail
        bool isFixed = false;  ///< the first or last image, which has its place by its key

        friend bool operator==(const Mark&, const Mark&) = default;
    };

    explicit KeyframeStrip(QWidget* parent);
    ~KeyframeStrip() override;

    /// Pictures that can be moved come first, in the order of the project.
    void setMarks(std::vector<Mark> marks);
    void setClip(std::int64_t frames, double fps);
    /// -1: none.
    void choose(int index);
    [[nodiscard]] int chosen() const { return m_chosen; }
    /// Returns where the thumbnail of a picture is painted.
    [[nodiscard]] QRect thumbnailOf(int index) const;
    /// Returns the frame nearest to a place of the strip.
    [[nodiscard]] std::int64_t frameAt(int x) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    /// A picture is wanted at another frame: let go there, or moved by a key (`typed`).
    void moved(int index, std::int64_t frame, bool typed);
    void removed(int index);
    void chosenChanged(int index);
    /// Files were dropped at a frame.
    void dropped(const QStringList& files, std::int64_t frame);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    /// A picture as it is shown: null until it is read, or when it cannot be.
    struct Thumbnail;

    [[nodiscard]] int movable() const;
    [[nodiscard]] int indexAt(const QPoint& place) const;
    [[nodiscard]] std::int64_t shownFrame(int index) const;
    [[nodiscard]] double placeOf(std::int64_t frame) const;
    [[nodiscard]] int railTop() const;
    [[nodiscard]] QString timeText(std::int64_t frame) const;
    void paintRail(QPainter& painter) const;
    void paintMark(QPainter& painter, int index) const;
    void readThumbnails();
    void describe();

    std::vector<Mark> m_marks;
    std::vector<int> m_lanes;  ///< 0 is beside the rail; pictures that would cover others stand above
    std::int64_t m_frames = 1;
    double m_fps = 0;
    int m_chosen = -1;
    std::optional<std::int64_t> m_dragged;  ///< where the chosen one would go
    std::optional<std::int64_t> m_aimed;    ///< where files would be dropped
    int m_grip = 0;                         ///< of the pointer, from the middle of the picture
    std::map<QString, std::unique_ptr<Thumbnail>> m_thumbnails;

    void layOutLanes();
};

}  // namespace meshreel
