// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/clip_comparer.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/player/playback_controls.h"
#include "ui/theme/look.h"
#include "ui/widgets/control_name.h"

namespace meshreel {

ClipComparer::ClipComparer(QWidget* parent)
    : QWidget(parent),
      m_first(new QComboBox(this)),
      m_second(new QComboBox(this)),
      m_mode(new QComboBox(this)),
      m_likeness(new QLabel(this)),
      m_view(new ClipPairView(this)),
      m_controls(new PlaybackControls(m_playback, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(tightSpacing);
    layout->addWidget(makeHeader());
    layout->addWidget(m_view, 1);
    layout->addWidget(m_controls);
    m_controls->setLength(0, 1);
    for (QComboBox* box : {m_first, m_second})
        connect(box, &QComboBox::currentIndexChanged, this, &ClipComparer::load);
    connect(m_mode, &QComboBox::currentIndexChanged, this,
            [this] { m_view->setMode(static_cast<ClipPairView::Mode>(m_mode->currentData().toInt())); });
    connect(&m_playback, &Playback::positionChanged, this, &ClipComparer::showFrame);
}

ClipComparer::~ClipComparer() {
    m_stop.request_stop();
}

QWidget* ClipComparer::makeHeader() {
    using Mode = ClipPairView::Mode;
    m_mode->addItem(tr("Side by side"), static_cast<int>(Mode::SideBySide));
    m_mode->addItem(tr("Wipe"), static_cast<int>(Mode::Wipe));
    m_mode->addItem(tr("Difference × %1").arg(differenceGain), static_cast<int>(Mode::Difference));
    nameControl(*m_first, tr("First run"));
    nameControl(*m_second, tr("Second run"));
    nameControl(*m_mode, tr("How the videos are compared"));
    for (QComboBox* box : {m_first, m_second, m_mode})
        box->setToolTip(box->accessibleName());
    for (QComboBox* box : {m_first, m_second})
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_likeness->setWordWrap(true);
    auto* header = new QWidget(this);
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    auto* row = new QHBoxLayout;
    row->addWidget(m_first, 1);
    row->addWidget(m_second, 1);
    row->addWidget(m_mode);
    column->addLayout(row);
    column->addWidget(m_likeness);
    return header;
}

void ClipComparer::setRuns(std::vector<NamedRun> runs) {
    m_runs = std::move(runs);
    for (QComboBox* box : {m_first, m_second}) {
        const QSignalBlocker blocker(box);
        box->clear();
        for (const NamedRun& run : m_runs)
            box->addItem(run.name);
        box->setCurrentIndex(box == m_second ? std::min(1, box->count() - 1) : 0);
    }
    load();
}

void ClipComparer::setMode(ClipPairView::Mode mode) {
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(mode)));
}

QString ClipComparer::likeness() const {
    return m_likeness->text();
}

void ClipComparer::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_isStale)
        load();
}

void ClipComparer::keyPressEvent(QKeyEvent* event) {
    if (!m_controls->takeKey(*event))
        QWidget::keyPressEvent(event);
}

void ClipComparer::load() {
    m_isStale = !isVisible();
    if (m_isStale)
        return;
    m_stop.request_stop();
    m_stop = StopSource();
    m_reading.forget();
    showPair({});
    if (m_runs.empty())
        return;
    const NamedRun& first = m_runs[static_cast<std::size_t>(m_first->currentIndex())];
    const NamedRun& second = m_runs[static_cast<std::size_t>(m_second->currentIndex())];
    m_view->setNames(first.name, second.name);
    m_likeness->setText(tr("Reading the videos …"));
    m_reading.run(
        [a = first.folder, b = second.folder, stop = m_stop.get_token()] { return readClipPair(a, b, stop); },
        [this](ClipPair pair) {
            showPair(std::move(pair));
            m_playback.play();
            emit shown();
        },
        [this](const Trouble& trouble) {
            m_likeness->setText(trouble.message + QLatin1Char('\n') + trouble.hint);
            emit shown();
        });
}

void ClipComparer::showPair(ClipPair pair) {
    m_pair = std::move(pair);
    const int frames = m_pair.commonFrames();
    m_controls->setLength(frames, frames == 0 ? 1 : m_pair.first.framesPerSecond);
}

void ClipComparer::showFrame(int frame) {
    const auto pictureOf = [frame](const Clip& clip) {
        return frame < clip.frames.size() ? clip.frames.at(frame) : QImage();
    };
    m_view->setPictures(pictureOf(m_pair.first), pictureOf(m_pair.second), pictureOf(m_pair.difference));
    QStringList lines{likenessOf(frame), m_pair.first.isEmpty() ? QString() : pairingText(m_pair)};
    lines.removeAll(QString());
    m_likeness->setText(lines.join(QLatin1Char('\n')));
}

QString ClipComparer::likenessOf(int frame) const {
    if (m_pair.first.isEmpty())
        return {};
    if (m_pair.likeness.empty())
        return tr("The videos are of two sizes: there is nothing to measure.");
    const QString here = likenessText(m_pair.likeness[static_cast<std::size_t>(frame)]);
    const QString all = likenessText(overall(m_pair.likeness));
    if (m_pair.isOneLength())
        return tr("This frame: %1 · the whole video: %2").arg(here, all);
    return tr("This frame: %1 · the first %2 frames: %3")
        .arg(here, QString::number(m_pair.commonFrames()), all);
}

}  // namespace meshreel
