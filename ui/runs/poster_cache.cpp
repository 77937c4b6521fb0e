// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/poster_cache.h"

#include <QGuiApplication>
#include <QImage>
#include <algorithm>

#include "engine/base/problem.h"
#include "ui/values/pictures.h"

namespace meshreel {

namespace {

constexpr QSize posterSize{256, 144};         ///< device-independent pixels: what a usual tile shows
constexpr int bytesPerUnit = 1024;            ///< of a cache's cost
constexpr int mostUnits = 96 * bytesPerUnit;  ///< 96 MiB: some 700 posters
constexpr int readAtATime = 2;
constexpr int mostWanted = 256;  ///< what was scrolled past long ago is asked for again when it comes back

}  // namespace

PosterCache::PosterCache(QObject* parent, Links links)
    : QObject(parent), m_links(links), m_size(posterSize * qGuiApp->devicePixelRatio()), m_kept(mostUnits) {}

QPixmap PosterCache::poster(const QString& file) {
    if (const QPixmap* kept = m_kept.object(file))
        return *kept;
    if (!m_read.contains(file)) {
        m_wanted.removeOne(file);
        m_wanted.append(file);
        if (m_wanted.size() > mostWanted)
            m_wanted.removeFirst();
        readNext();
    }
    return {};
}

void PosterCache::forget(const QString& file) {
    m_kept.remove(file);
    if (m_read.contains(file))
        m_stale.insert(file);
}

void PosterCache::readNext() {
    while (m_read.size() < readAtATime && !m_wanted.isEmpty()) {
        const QString file = m_wanted.takeLast();
        m_read.insert(file);
        m_background.run(
            [file, size = m_size, links = m_links] { return readSmallPicture(file, size, links); },
            [this, file](const QImage& picture) { keep(file, picture); },
            [this, file](const Problem& /*problem*/) { keep(file, {}); });
    }
}

void PosterCache::keep(const QString& file, const QImage& picture) {
    m_read.remove(file);
    if (m_stale.remove(file)) {
        m_wanted.append(file);
        return readNext();
    }
    // Without a picture, too: it is not looked for at every painting.
    auto* pixmap = new QPixmap(QPixmap::fromImage(picture));
    const qsizetype bytes = qsizetype{4} * pixmap->width() * pixmap->height();
    m_kept.insert(file, pixmap, std::max<qsizetype>(bytes / bytesPerUnit, 1));
    readNext();
    if (!picture.isNull())
        emit loaded(file);
}

}  // namespace meshreel

#include "moc_poster_cache.cpp"
