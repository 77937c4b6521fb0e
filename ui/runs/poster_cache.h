// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCache>
#include <QObject>
#include <QPixmap>
#include <QSet>
#include <QSize>
#include <QString>
#include <QStringList>

#include "engine/base/held_file.h"
#include "ui/values/background.h"

namespace meshreel {

/// The preview pictures of runs, or other pictures, read away from the thread of the widgets when they are
/// first asked for, and kept in bounded memory.
class PosterCache : public QObject {
    Q_OBJECT

  public:
    /// `links`: whether files may be links. Those of a run may not.
    explicit PosterCache(QObject* parent = nullptr, Links links = Links::Refuse);

    /// Returns the picture of a file, so small that it fills a tile; null while it is read, of which loaded()
    /// tells, and where there is none.
    QPixmap poster(const QString& file);
    /// The file was written anew, or is gone.
    void forget(const QString& file);

  signals:
    void loaded(const QString& file);

  private:
    void readNext();
    void keep(const QString& file, const QImage& picture);

    Links m_links;
    QSize m_size;  ///< in pixels of the screen
    QCache<QString, QPixmap> m_kept;
    QStringList m_wanted;   ///< the latest last, which is read first: it is in sight
    QSet<QString> m_read;   ///< being read now
    QSet<QString> m_stale;  ///< of these: what is read is not to be kept
    Background m_background;
};

}  // namespace meshreel
